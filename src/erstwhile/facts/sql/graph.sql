-- name: find_entity
SELECT entity FROM entity_names
WHERE space = :space AND scope = :scope AND folded = :folded;

-- name: add_entity
INSERT INTO entities (space, id, scope, name) VALUES (:space, :id, :scope, :name);

-- name: add_name
INSERT INTO entity_names (space, scope, folded, entity, name)
VALUES (:space, :scope, :folded, :entity, :name);

-- name: remove_alias
-- An entity's own name stays.
DELETE FROM entity_names
WHERE space = :space AND scope = :scope AND folded = :folded AND entity = :entity
  AND name <> (SELECT e.name FROM entities AS e WHERE e.space = :space AND e.id = :entity);

-- name: add_mention
INSERT INTO fact_entities (space, entity, fact, since) VALUES (:space, :entity, :fact, :since)
ON CONFLICT DO NOTHING;

-- name: add_relation
INSERT INTO relations (space, fact, subject, predicate, object, since)
VALUES (:space, :fact, :subject, :predicate, :object, :since)
ON CONFLICT DO NOTHING;

-- name: list_entities
-- Entities that live facts mention, by name; equal names in several scopes count as one.
-- The inner select finds the names of the page, so that only their mentions are counted.
SELECT MIN(e.name), COUNT(DISTINCT f.id), n.folded FROM scopes AS s
JOIN entity_names AS n ON n.space = :space AND n.scope = s.id
JOIN entities AS e ON e.space = :space AND e.id = n.entity AND e.name = n.name
JOIN fact_entities AS m ON m.space = :space AND m.entity = e.id AND m.since <= :known_at
JOIN {{facts}} AS f ON f.space = :space AND f.id = m.fact
WHERE {{visible}} AND {{state}} AND n.folded IN (
  SELECT DISTINCT n.folded FROM scopes AS s
  JOIN entity_names AS n ON n.space = :space AND n.scope = s.id
  JOIN entities AS e ON e.space = :space AND e.id = n.entity AND e.name = n.name
  WHERE {{visible}} AND n.folded > :after AND EXISTS (
    SELECT 1 FROM fact_entities AS m JOIN {{facts}} AS f ON f.space = :space AND f.id = m.fact
    WHERE m.space = :space AND m.entity = e.id AND m.since <= :known_at AND {{state}})
  ORDER BY n.folded LIMIT :limit)
GROUP BY n.folded ORDER BY n.folded;

-- name: find_names
-- All names of the visible entities that have this name or alias.
SELECT DISTINCT e.id, e.name, n.name FROM scopes AS s
JOIN entity_names AS g ON g.space = :space AND g.scope = s.id AND g.folded = :folded
JOIN entities AS e ON e.space = :space AND e.id = g.entity
JOIN entity_names AS n ON n.space = :space AND n.entity = e.id
WHERE {{visible}} ORDER BY e.id, n.name;

-- name: co_occurring
-- Entities that live facts mention together with this one.
SELECT e.name, f.id FROM scopes AS s
JOIN entity_names AS g ON g.space = :space AND g.scope = s.id AND g.folded = :folded
JOIN fact_entities AS m ON m.space = :space AND m.entity = g.entity AND m.since <= :known_at
JOIN {{facts}} AS f ON f.space = :space AND f.id = m.fact
JOIN fact_entities AS o ON o.space = :space AND o.fact = m.fact AND o.entity <> m.entity
  AND o.since <= :known_at
JOIN entities AS e ON e.space = :space AND e.id = o.entity
WHERE {{visible}} AND {{state}}
ORDER BY f.id DESC LIMIT :limit;

-- fragment: direction.outgoing
r.subject = g.entity

-- fragment: direction.incoming
r.object = g.entity AND r.subject <> g.entity

-- fragment: other.outgoing
r.object

-- fragment: other.incoming
r.subject

-- name: related
-- The relations of this entity in live facts, in one direction.
SELECT r.predicate, o.name, f.id FROM scopes AS s
JOIN entity_names AS g ON g.space = :space AND g.scope = s.id AND g.folded = :folded
JOIN relations AS r ON r.space = :space AND {{direction}} AND r.since <= :known_at
JOIN {{facts}} AS f ON f.space = :space AND f.id = r.fact
JOIN entities AS o ON o.space = :space AND o.id = {{other}}
WHERE {{visible}} AND {{state}}
ORDER BY f.id DESC LIMIT :limit;
