-- Lists are JSON parameters and are read first. With row-level security PostgreSQL uses no index for
-- values that it still has to compute from a list.

-- fragment: listed
WITH listed AS MATERIALIZED (
  SELECT CAST(each AS BIGINT) AS seq FROM jsonb_array_elements_text(CAST(:seqs AS jsonb)) AS each)

-- name: candidates
-- The facts with these numbers that pass the filters, with the columns for scoring.
{{listed}}
SELECT t.seq, t.terms, t.conversation IS NOT NULL FROM listed AS l
JOIN fact_texts AS t ON t.seq = l.seq AND t.space = :space
JOIN {{facts}} AS f ON f.space = t.space AND f.id = t.fact
JOIN scopes AS s ON s.space = f.space AND s.id = f.scope
WHERE {{visible}} AND {{matching}};

-- name: candidates_in_full
-- The full facts, and whether they have usage signals.
{{listed}}
SELECT t.seq, {{used}}, {{columns}} FROM listed AS l
JOIN fact_texts AS t ON t.seq = l.seq AND t.space = :space
JOIN {{facts}} AS f ON f.space = t.space AND f.id = t.fact
JOIN scopes AS s ON s.space = f.space AND s.id = f.scope;

-- name: neighbours
-- The neighbours of facts in their conversations, without deleted and untrusted ones.
{{listed}}, centres AS MATERIALIZED (
  SELECT t.seq, t.scope, t.conversation, t.position,
    t.position - :reach AS lowest, t.position + :reach AS highest
  FROM listed AS l JOIN fact_texts AS t ON t.seq = l.seq AND t.space = :space)
SELECT c.seq, n.seq, n.position - c.position, n.terms FROM centres AS c
JOIN fact_texts AS n ON n.space = :space AND n.scope = c.scope
  AND n.conversation = c.conversation
  AND n.position BETWEEN c.lowest AND c.highest AND n.seq <> c.seq
JOIN facts AS f ON f.space = n.space AND f.id = n.fact
WHERE f.deleted_at IS NULL AND f.trust = 'trusted';

-- name: named_entities
-- The visible entities with one of these folded names, and all their names. An entity is visible
-- if a fact about it is visible.
WITH listed AS MATERIALIZED (
  SELECT each AS name FROM jsonb_array_elements_text(CAST(:names AS jsonb)) AS each)
SELECT DISTINCT g.folded, n.name FROM listed AS l
CROSS JOIN scopes AS s
JOIN entity_names AS g ON g.space = s.space AND g.scope = s.id AND g.folded = l.name
JOIN entity_names AS n ON n.space = g.space AND n.entity = g.entity
WHERE {{visible}} AND EXISTS (
  SELECT 1 FROM fact_entities AS m JOIN facts AS f ON f.space = m.space AND f.id = m.fact
  WHERE m.space = g.space AND m.entity = g.entity AND m.since <= :known_at
    AND f.trust = 'trusted' AND f.deleted_at IS NULL);

-- name: mentioning
-- Facts that share an entity with the given facts, newest first.
WITH listed AS MATERIALIZED (
  SELECT each AS fact FROM jsonb_array_elements_text(CAST(:facts AS jsonb)) AS each)
SELECT {{columns}} FROM {{facts}} AS f
JOIN scopes AS s ON s.space = f.space AND s.id = f.scope
WHERE f.space = :space AND f.id IN (
  SELECT o.fact FROM listed AS l
  JOIN fact_entities AS i ON i.space = :space AND i.fact = l.fact
  JOIN fact_entities AS o ON o.space = i.space AND o.entity = i.entity
  WHERE o.since <= :known_at)
  AND {{visible}} AND {{matching}}
ORDER BY f.id DESC LIMIT :limit;

-- name: uses_before
-- The use of facts by a viewer, without erased facts.
WITH listed AS MATERIALIZED (
  SELECT each AS fact FROM jsonb_array_elements_text(CAST(:facts AS jsonb)) AS each)
SELECT f.id, f.kind, u.day, u.queries, u.earlier FROM listed AS l
JOIN facts AS f ON f.space = :space AND f.id = l.fact
LEFT JOIN fact_uses AS u ON u.space = f.space AND u.fact = f.id AND u.scope = :scope;

-- name: signals_of
-- The usage of facts, then the feedback on them, in the scopes that count for this viewer.
WITH listed AS MATERIALIZED (
  SELECT each AS fact FROM jsonb_array_elements_text(CAST(:facts AS jsonb)) AS each)
SELECT u.fact, u.day, u.queries, u.earlier, 0, 0 FROM listed AS l
JOIN fact_uses AS u ON u.space = :space AND u.fact = l.fact
JOIN scopes AS s ON s.space = u.space AND s.id = u.scope
WHERE {{visible}} AND u.day >= :oldest
UNION ALL
SELECT b.fact, 0, 0, 0, b.useful, b.irrelevant FROM listed AS l
JOIN feedback AS b ON b.space = :space AND b.fact = l.fact
JOIN scopes AS s ON s.space = b.space AND s.id = b.scope
WHERE {{visible}};

-- name: open_conflicts_among
-- Pairs of these facts with an open conflict.
WITH listed AS MATERIALIZED (
  SELECT each AS fact FROM jsonb_array_elements_text(CAST(:facts AS jsonb)) AS each)
SELECT r.older, r.newer FROM listed AS l
JOIN conflicts AS r ON r.space = :space AND r.newer = l.fact
JOIN scopes AS s ON s.space = r.space AND s.id = r.scope
WHERE {{visible}} AND r.settled_at IS NULL AND r.deleted_at IS NULL
  AND r.older IN (SELECT fact FROM listed)
ORDER BY r.id;
