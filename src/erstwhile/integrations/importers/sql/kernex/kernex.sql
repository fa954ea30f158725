-- `memory.db` of Kernex 0.10, after its 19 migrations. Everything belongs to a sender. Its runtime
-- writes "default" where there is no project.

-- fragment: project
CASE WHEN trim(project) NOT IN ('', 'default') THEN project END AS project

-- fragment: of_the_program
sender_id = '__system__' OR key IN ('welcomed', 'onboarding_stage')


-- name: facts
SELECT id, 'profile' AS kind, sender_id AS user, updated_at AS since,
  CASE key WHEN 'preferred_language' THEN 'language' ELSE key END AS key,
  CASE WHEN length(value) <= 200 AND instr(value, char(10)) = 0 THEN value END AS value,
  CASE WHEN length(value) <= 200 AND instr(value, char(10)) = 0
    THEN replace(key, '_', ' ') || ': ' || value ELSE value END AS text,
  json_object('key', key, 'created_at', created_at, 'source_message_id', source_message_id)
    AS metadata
FROM facts WHERE deleted_at IS NULL AND trim(key) <> '' AND trim(value) <> ''
  AND NOT ({{of_the_program}});

-- name: passed/facts
SELECT 'table facts' AS place, 'it states nothing, or was deleted there' AS reason, count(*) AS count
FROM facts WHERE NOT ({{of_the_program}})
  AND (deleted_at IS NOT NULL OR trim(key) = '' OR trim(value) = '');

-- name: passed/program
SELECT 'table facts' AS place, 'it is a state of the program' AS reason, count(*) AS count
FROM facts WHERE {{of_the_program}};

-- name: conversations
SELECT id, sender_id AS user, {{project}}, summary, status = 'closed' AS closed,
  json_object('channel', channel, 'status', status, 'started_at', started_at,
    'updated_at', updated_at, 'last_activity', last_activity) AS metadata
FROM conversations;

-- name: messages
SELECT id, conversation_id AS conversation, role, content, timestamp AS at,
  metadata_json AS metadata
FROM messages;

-- name: lessons
SELECT rule, domain, occurrences, updated_at AS at, sender_id AS user, {{project}} FROM lessons;

-- name: outcomes
SELECT nullif(lesson, '') AS note, domain, score, source || ', ' || timestamp AS source,
  sender_id AS user, {{project}}
FROM outcomes;

-- name: observations
SELECT title, type, trim(coalesce(what, '') || ' (noted ' || created_at || ')') AS what,
  nullif(why, '') AS why, nullif(where_field, '') AS "where", nullif(learned, '') AS learned,
  sender_id AS user
FROM observations WHERE deleted_at IS NULL;

-- name: passed/observations
SELECT 'table observations' AS place, 'it was deleted there' AS reason, count(*) AS count
FROM observations WHERE deleted_at IS NOT NULL;

-- name: limitations
SELECT title, nullif(description, '') AS description, nullif(proposed_plan, '') AS plan,
  CASE status WHEN 'open' THEN '' ELSE status || ' there, ' || coalesce(resolved_at, '') END
    AS resolved
FROM limitations;

-- name: tasks
SELECT description, due_at AS due, nullif(nullif(repeat, 'once'), '') AS recurrence,
  task_type AS type, nullif(trim(reply_target), '') AS reply_to, sender_id AS user, {{project}},
  json_object('imported', json_object('from', 'kernex', 'id', id), 'channel', channel,
    'created_at', created_at, 'retry_count', nullif(retry_count, 0), 'last_error', last_error)
    AS metadata
FROM scheduled_tasks WHERE status IN ('pending', 'claimed');

-- name: passed/tasks
SELECT 'table scheduled_tasks' AS place, 'it is ' || status AS reason, count(*) AS count
FROM scheduled_tasks WHERE status NOT IN ('pending', 'claimed') GROUP BY status;

-- name: usage
SELECT model, nullif(trim(session_id), '') AS of_session, timestamp AS at, sender_id AS user,
  CASE WHEN input_tokens IS NULL AND output_tokens IS NULL THEN tokens
    ELSE coalesce(input_tokens, 0) END AS input,
  coalesce(output_tokens, 0) AS output, coalesce(cache_read_tokens, 0) AS cache_read,
  coalesce(cache_creation_tokens, 0) AS cache_write,
  CASE WHEN cost_usd > 0 THEN printf('%.9f', cost_usd) END AS cost
FROM token_usage;

-- name: runs
SELECT run_id AS run, sender_id AS user, {{project}},
  json_group_array(json_array(phase_name, status, output, error_message)) AS phases
FROM (SELECT * FROM phase_checkpoints ORDER BY rowid) GROUP BY run_id, sender_id, project;

-- name: sessions
SELECT session_id, channel, sender_id AS user, {{project}} FROM project_sessions;

-- name: aliases
SELECT alias_sender_id AS alias, canonical_sender_id AS person FROM user_aliases;
