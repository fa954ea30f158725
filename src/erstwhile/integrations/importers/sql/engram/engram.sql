-- The database of Engram, schema 31 and later. A private memory belongs to its owner, any other to
-- its scope. A workspace is a project.

-- fragment: owner
CASE WHEN m.visibility = 'private' AND m.owner_id <> '' THEN m.owner_id
    WHEN m.scope_type = 'user' THEN coalesce(m.scope_id, '') END AS user,
  CASE m.scope_type WHEN 'agent' THEN coalesce(m.scope_id, '') END AS agent,
  CASE m.scope_type WHEN 'session' THEN coalesce(m.scope_id, '') END AS session,
  nullif(m.workspace, 'default') AS project, m.scope_path AS path,
  CASE m.memory_type WHEN 'preference' THEN 'preference' WHEN 'decision' THEN 'decision'
    WHEN 'episodic' THEN 'event' END AS kind

-- fragment: statements
m.memory_type NOT IN ('credential', 'transcript_chunk')

-- fragment: texts
SELECT memory_id, version, content, tags, created_at,
  lag(version) OVER changes AS prior, lead(created_at) OVER changes AS next
FROM (
  SELECT *, lag(content) OVER (PARTITION BY memory_id ORDER BY version) AS before
  FROM memory_versions
)
WHERE before IS NULL OR before <> content
WINDOW changes AS (PARTITION BY memory_id ORDER BY version)

-- name: facts
SELECT m.id, m.content AS text, {{owner}}, m.id || '@' || v.prior AS replaces,
  CASE WHEN v.prior IS NULL THEN coalesce(m.valid_from, m.created_at) ELSE v.created_at END
    AS since,
  nullif(min(coalesce(m.valid_to, '9999'), coalesce(m.expires_at, '9999'),
    CASE m.lifecycle_state WHEN 'archived' THEN m.updated_at ELSE '9999' END), '9999') AS until,
  json_array(m.memory_type) AS tags,
  json_patch(json_object('owner_id', m.owner_id, 'visibility', m.visibility,
    'scope_path', m.scope_path, 'workspace', m.workspace, 'tier', m.tier, 'version', m.version,
    'importance', m.importance, 'access_count', m.access_count,
    'last_accessed_at', m.last_accessed_at, 'lifecycle_state', m.lifecycle_state,
    'validation_status', m.validation_status, 'event_time', m.event_time,
    'trigger_pattern', m.trigger_pattern, 'media_url', m.media_url),
    CASE WHEN json_valid(m.metadata) THEN m.metadata ELSE '{}' END) AS metadata
FROM memories AS m LEFT JOIN (
  SELECT memory_id, max(version), prior, created_at FROM ({{texts}}) GROUP BY memory_id
) AS v ON v.memory_id = m.id
WHERE {{statements}};

-- name: facts/earlier
SELECT m.id || '@' || v.version AS id, m.id || '@' || v.prior AS replaces, v.content AS text,
  {{owner}}, v.tags, v.created_at AS since, v.next AS until
FROM ({{texts}}) AS v JOIN memories AS m ON m.id = v.memory_id
WHERE v.next IS NOT NULL AND {{statements}};

-- name: labels
SELECT memory_id AS fact, name AS tag, NULL AS entity
FROM memory_tags JOIN tags ON tags.id = tag_id;

-- name: labels/entities
SELECT memory_id AS fact, NULL AS tag, name AS entity
FROM memory_entities JOIN entities ON entities.id = entity_id;

-- name: links
SELECT source_memory_id AS fact, subject, predicate, object FROM facts;

-- name: passed
SELECT 'table memories' AS place, 'it is a ' || replace(memory_type, '_', ' ') AS reason,
  count(*) AS count
FROM memories AS m WHERE NOT {{statements}} GROUP BY memory_type;

-- name: blocks
SELECT name, content, max_tokens AS limit_tokens FROM memory_blocks WHERE trim(content) <> '';

-- name: passed/blocks
SELECT 'table memory_blocks' AS place, 'it is empty' AS reason, count(*) AS count
FROM memory_blocks WHERE trim(content) = '';

-- name: edits
SELECT block_name AS name, old_content AS content,
  trim(edit_reason || ' (edited there at ' || timestamp || ')') AS reason
FROM block_edit_log ORDER BY id;
