-- fragment: record.tasks
tasks AS r

-- fragment: record_fields.tasks
{{task_fields}}

-- fragment: record_narrowed.tasks
{{task_narrowed}}

-- fragment: task_fields
r.description, r.type, r.status, r.due_at, r.occurrence_at, r.anchor, r.time_zone, r.recurrence,
r.reply_to, r.metadata, r.retries, r.attempts, r.last_error, r.run, r.worker, r.lease_until

-- fragment: task_narrowed
:statuses LIKE '%,' || r.status || ',%'
  AND (CAST(:type AS TEXT) IS NULL OR r.type = :type) AND r.due_at <= :due_by

-- fragment: taking.look

-- fragment: taking.take
-- An engine with concurrent writers skips rows that another worker is about to claim.

-- name: list_tasks
-- By due time. The inner select takes a page from each visible scope by an index.
SELECT {{record_head}}, {{task_fields}} FROM scopes AS s
JOIN tasks AS r ON r.space = :space AND r.id IN (
  SELECT r.id FROM tasks AS r
  WHERE r.space = :space AND r.scope = s.id
    AND r.due_at >= :after AND (r.due_at > :after OR r.id > :after_id)
    AND {{kept}} AND {{task_narrowed}}
  ORDER BY r.due_at, r.id LIMIT :limit)
WHERE {{visible}}
ORDER BY r.due_at, r.id LIMIT :limit;

-- name: find_open_task
-- The open task of exactly this scope with the same details.
SELECT {{record_head}}, {{task_fields}} FROM tasks AS r
JOIN scopes AS s ON s.space = :space AND s.id = r.scope
WHERE r.space = :space AND r.scope = :scope AND r.fingerprint = :fingerprint
  AND r.status IN ('pending', 'claimed') AND r.deleted_at IS NULL;

-- name: pending_tasks_between
-- The waiting tasks of exactly this scope that are due in a period, the earliest first.
SELECT {{record_head}}, {{task_fields}} FROM tasks AS r
JOIN scopes AS s ON s.space = :space AND s.id = r.scope
WHERE r.space = :space AND r.scope = :scope AND r.due_at BETWEEN :first AND :last
  AND r.status = 'pending' AND r.deleted_at IS NULL
ORDER BY r.due_at, r.id;

-- name: open_task_terms
-- The terms of the newest open tasks.
SELECT r.id, r.terms FROM scopes AS s
JOIN tasks AS r ON r.space = :space AND r.scope = s.id
WHERE {{visible}} AND r.status IN ('pending', 'claimed') AND r.deleted_at IS NULL
ORDER BY r.id DESC LIMIT :limit;

-- name: due_tasks
-- Tasks that a worker may claim, the longest due first.
SELECT {{record_head}}, {{task_fields}} FROM scopes AS s
JOIN tasks AS r ON r.space = :space AND r.scope = s.id
WHERE {{visible}} AND r.status = 'pending' AND r.deleted_at IS NULL AND r.due_at <= :now
  AND (CAST(:type AS TEXT) IS NULL OR r.type = :type)
ORDER BY r.due_at, r.id LIMIT :limit {{taking}};

-- name: expired_leases
-- Claimed tasks whose lease has ended.
SELECT {{record_head}}, {{task_fields}} FROM scopes AS s
JOIN tasks AS r ON r.space = :space AND r.scope = s.id
WHERE {{visible}} AND r.status = 'claimed' AND r.deleted_at IS NULL AND r.lease_until <= :now
ORDER BY r.lease_until, r.id LIMIT :limit {{taking}};

-- name: add_task
INSERT INTO tasks (
  space, id, scope, created_at, changed_at, deleted_at, description, type, status, due_at,
  occurrence_at, anchor, time_zone, recurrence, reply_to, metadata, retries, attempts, last_error,
  run, worker, lease_until, fingerprint, terms)
VALUES (
  :space, :id, :scope, :created_at, :changed_at, :deleted_at, :description, :type, :status,
  :due_at, :occurrence_at, :anchor, :time_zone, :recurrence, :reply_to, :metadata, :retries,
  :attempts, :last_error, :run, :worker, :lease_until, :fingerprint, :terms);

-- name: change_task
UPDATE tasks SET
  changed_at = :changed_at, deleted_at = :deleted_at, description = :description, type = :type,
  status = :status, due_at = :due_at, occurrence_at = :occurrence_at, anchor = :anchor,
  time_zone = :time_zone, recurrence = :recurrence, reply_to = :reply_to, metadata = :metadata,
  retries = :retries, attempts = :attempts, last_error = :last_error, run = :run,
  worker = :worker, lease_until = :lease_until, fingerprint = :fingerprint, terms = :terms
WHERE space = :space AND id = :id AND changed_at = :was_changed_at;

-- name: stored_tasks
SELECT {{record_state}}, {{task_fields}} FROM tasks AS r
WHERE r.space = :space AND r.scope = :scope ORDER BY r.id;

-- fragment: run_columns
u.id, u.task, u.status, u.attempt, u.worker, u.occurrence_at, u.started_at, u.finished_at,
u.result, u.error, u.tokens_used, u.token

-- name: add_run
INSERT INTO task_runs (
  space, id, scope, task, token, status, attempt, worker, occurrence_at, started_at, finished_at,
  changed_at, result, error, tokens_used)
VALUES (
  :space, :id, :scope, :task, :token, :status, :attempt, :worker, :occurrence_at, :started_at,
  :finished_at, :changed_at, :result, :error, :tokens_used);

-- name: finish_run
UPDATE task_runs SET status = :status, finished_at = :finished_at, changed_at = :changed_at,
  result = :result, error = :error, tokens_used = :tokens_used
WHERE space = :space AND id = :id;

-- name: find_run
SELECT {{run_columns}} FROM task_runs AS u WHERE u.space = :space AND u.id = :id;

-- name: find_run_by_token
SELECT {{run_columns}} FROM task_runs AS u
WHERE u.space = :space AND u.token = :token AND u.task = :task;

-- name: list_runs
-- The attempts at one task, newest first.
SELECT {{run_columns}} FROM task_runs AS u
WHERE u.space = :space AND u.task = :task AND u.id < :before
ORDER BY u.id DESC LIMIT :limit;

-- name: stored_runs
SELECT u.id, u.changed_at, NULL, u.task, u.token, u.status, u.attempt, u.worker,
  u.occurrence_at, u.started_at, u.finished_at, u.result, u.error, u.tokens_used
FROM task_runs AS u WHERE u.space = :space AND u.scope = :scope ORDER BY u.id;

-- name: runs_of_task
SELECT u.id FROM task_runs AS u WHERE u.space = :space AND u.task = :task ORDER BY u.id;

-- name: remove_runs
DELETE FROM task_runs WHERE space = :space AND task = :task;
