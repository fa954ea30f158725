-- The databases of Nexo: the long-term memory of its agents, and the decisions of its driver.

-- name: facts
SELECT m.id, m.content AS text, m.agent_id AS agent, m.created_at AS since,
  CASE m.memory_type WHEN 'user' THEN 'profile' WHEN 'feedback' THEN 'preference'
    WHEN 'project' THEN 'project' END AS kind,
  (SELECT json_group_array(value) FROM (
    SELECT value FROM json_each(CASE WHEN json_valid(m.tags) THEN m.tags ELSE '[]' END) UNION
    SELECT value
    FROM json_each(CASE WHEN json_valid(m.concept_tags) THEN m.concept_tags ELSE '[]' END)
  )) AS tags,
  json_object('memory_type', m.memory_type, 'recalls', (
    SELECT nullif(count(*), 0) FROM recall_events AS r WHERE r.memory_id = m.id
  )) AS metadata
FROM memories AS m;

-- name: conversations
SELECT DISTINCT agent_id || ':' || session_id AS id, agent_id AS agent FROM interactions;

-- name: messages
SELECT id, agent_id || ':' || session_id AS conversation, role, content, created_at AS at
FROM interactions;

-- name: tasks
SELECT message AS description, due_at AS due, plugin || ':' || recipient AS reply_to,
  agent_id AS agent,
  json_object('imported', json_object('from', 'nexo', 'id', id), 'session_id', session_id,
    'created_at', created_at) AS metadata
FROM reminders WHERE delivered_at IS NULL;

-- name: passed/tasks
SELECT 'table reminders' AS place, 'it was delivered there' AS reason, count(*) AS count
FROM reminders WHERE delivered_at IS NOT NULL;

-- name: decisions
SELECT tool, goal_id AS goal, turn_index AS turn, choice_kind AS choice,
  coalesce(choice_message, '') AS message, rationale, full_input_json AS of_input,
  'model' AS decided_by, decided_at, 'nexo:' || id AS key
FROM driver_decisions;
