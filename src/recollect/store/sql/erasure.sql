-- name: overwrite_fact
-- Long texts lie on pages of their own: write over them before the row goes.
UPDATE facts SET text = :blank, metadata = '', entities = '', relations = '', tags = '',
  source = NULL, key = NULL
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

-- name: orphaned_entities
-- Entities that no fact mentions any more.
SELECT e.id FROM entities AS e
WHERE e.space = :space AND NOT EXISTS (
  SELECT 1 FROM fact_entities AS m WHERE m.space = e.space AND m.entity = e.id);

-- name: remove_names
DELETE FROM entity_names WHERE space = :space AND entity = :id;

-- name: remove_entity
DELETE FROM entities WHERE space = :space AND id = :id;
