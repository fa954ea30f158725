-- name: overwrite_fact
-- Overwrite the text before the row is deleted: a long text lies on separate pages.
UPDATE facts SET text = :blank, metadata = '', entities = '', relations = '', tags = '',
  source = NULL, key = NULL, value = NULL
WHERE space = :space AND id = :id;

-- name: remove_versions
DELETE FROM fact_versions WHERE space = :space AND id = :id;

-- name: remove_tags
DELETE FROM fact_tags WHERE space = :space AND fact = :id;

-- name: remove_relations
DELETE FROM relations WHERE space = :space AND fact = :id;

-- name: remove_mentions
DELETE FROM fact_entities WHERE space = :space AND fact = :id;

-- name: remove_fact
DELETE FROM facts WHERE space = :space AND id = :id;

-- name: erased_before
SELECT a.subject FROM audit AS a JOIN scopes AS s ON s.space = :space AND s.id = a.scope
WHERE {{visible}} AND a.space = :space AND a.subject >= :lowest AND a.subject <= :highest AND a.action = 'erase'
ORDER BY a.subject LIMIT 2;

-- name: unfinished_erasures
-- The newest erasure whose bytes may still be in the store.
SELECT MAX(number) FROM audit
WHERE space = :space AND action = 'erase' AND nonce IS NOT NULL;

-- name: finish_erasures
UPDATE audit SET nonce = NULL
WHERE space = :space AND action = 'erase' AND nonce IS NOT NULL AND number <= :newest;

-- name: mentioned_entities
SELECT entity FROM fact_entities WHERE space = :space AND fact = :id;

-- fragment: orphans.all
1 = 1

-- fragment: orphans.one
e.id = :id

-- name: orphaned_entities
-- Entities that no fact mentions any more.
SELECT e.id, e.scope FROM entities AS e
WHERE e.space = :space AND {{orphans}} AND NOT EXISTS (
  SELECT 1 FROM fact_entities AS m WHERE m.space = :space AND m.entity = e.id);

-- name: remove_names
DELETE FROM entity_names WHERE space = :space AND entity = :id;

-- name: remove_entity
DELETE FROM entities WHERE space = :space AND id = :id;

-- fragment: kept_within
{{within}} AND {{fact_kept}} AND (f.deleted_at IS NULL OR f.deleted_at >= :deleted_since)

-- name: kept_facts_within
SELECT {{columns}} FROM scopes AS s
JOIN {{facts}} AS f ON f.space = :space AND f.scope = s.id
WHERE {{kept_within}} AND f.id > :after ORDER BY f.id LIMIT :limit;

-- name: count_kept_within
SELECT COUNT(*) FROM scopes AS s CROSS JOIN {{facts}} AS f
WHERE f.space = :space AND f.scope = s.id AND {{kept_within}};

-- name: facts_within
-- Facts in every state, deleted or not.
SELECT {{columns}} FROM scopes AS s
JOIN facts AS f ON f.space = :space AND f.scope = s.id
WHERE {{within}} ORDER BY f.id LIMIT :limit;
