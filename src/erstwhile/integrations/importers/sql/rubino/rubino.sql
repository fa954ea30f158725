-- The database of Rubino. It belongs to one person.

-- fragment: kind
CASE kind WHEN 'user_profile' THEN 'profile' WHEN 'preference' THEN 'preference'
    WHEN 'project' THEN 'project' WHEN 'env' THEN 'environment' END AS kind

-- name: facts
SELECT id, text, {{kind}}, entities_json AS entities, confidence, replaces,
  coalesce(valid_from, created_at) AS since, valid_to AS until,
  json_object('source_session_id', source_session_id, 'superseded_by', superseded_by) AS metadata
FROM memory_facts LEFT JOIN (
  SELECT superseded_by AS successor, max(id) AS replaces FROM memory_facts GROUP BY superseded_by
) ON successor = id;

-- name: facts/old
SELECT id, content AS text, {{kind}}, confidence, created_at AS since,
  json_patch(json_object('source_session_id', source_session_id),
    CASE WHEN json_valid(metadata_json) THEN metadata_json ELSE '{}' END) AS metadata
FROM memories;

-- name: links
-- Names that only occur together are the entities of their fact.
SELECT e.id, e.source_fact_id AS fact, one.name AS subject, e.relation AS predicate,
  other.name AS object, coalesce(e.valid_from, e.created_at) AS since, e.valid_to AS until
FROM memory_edges AS e JOIN memory_entities AS one ON one.id = e.src_entity_id
JOIN memory_entities AS other ON other.id = e.dst_entity_id
WHERE e.relation <> 'co_occurs';

-- name: conversations
SELECT s.id, s.status <> 'active' AS closed,
  coalesce(nullif(s.summary, ''), (
    SELECT content FROM session_summaries WHERE session_id = s.id ORDER BY created_at DESC LIMIT 1
  )) AS summary,
  json_object('title', s.title, 'source', s.source, 'model', s.model, 'provider', s.provider,
    'status', s.status, 'started_at', s.created_at, 'updated_at', s.updated_at,
    'ended_at', s.ended_at, 'parent_session_id', s.parent_session_id) AS metadata
FROM sessions AS s;

-- name: messages
SELECT id, session_id AS conversation, role, content, created_at AS at,
  json_patch(json_object('tool_name', tool_name, 'tool_call_id', tool_call_id),
    CASE WHEN json_valid(metadata_json) THEN metadata_json ELSE '{}' END) AS metadata
FROM messages;
