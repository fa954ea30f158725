-- fragment: record.checkpoints
checkpoints AS r

-- fragment: record_fields.checkpoints
{{checkpoint_fields}}

-- fragment: record_narrowed.checkpoints
r.run = :run

-- fragment: checkpoint_fields
r.run, r.phase, r.position, r.status, r.attempts, r.output, r.error

-- name: find_phases
-- The phases of a run in exactly this scope, in order.
SELECT {{record_head}}, {{checkpoint_fields}} FROM checkpoints AS r
JOIN scopes AS s ON s.space = :space AND s.id = r.scope
WHERE r.space = :space AND r.scope = :scope AND r.run = :run AND {{kept}}
ORDER BY r.position, r.id;

-- name: scopes_of_run
-- The scopes that have a run of this name, the narrowest first.
SELECT s.id FROM scopes AS s
WHERE {{visible}} AND EXISTS (
  SELECT 1 FROM checkpoints AS r
  WHERE r.space = :space AND r.scope = s.id AND r.run = :run AND {{kept}})
ORDER BY s.scope_user <> '' DESC, s.scope_agent <> '' DESC, s.scope_project <> '' DESC,
  s.scope_session <> '' DESC, s.id
LIMIT 2;

-- name: list_progress
-- Runs by name, with how many phases each has and how many are completed.
SELECT r.run, s.scope_user, s.scope_agent, s.scope_project, s.scope_session, COUNT(*),
  SUM(CASE WHEN r.status = 'completed' THEN 1 ELSE 0 END), MAX(r.changed_at), s.id
FROM scopes AS s JOIN checkpoints AS r ON r.space = :space AND r.scope = s.id
WHERE {{visible}} AND {{kept}} AND r.run >= :after AND (r.run > :after OR s.id > :after_scope)
  AND (CAST(:prefix AS TEXT) IS NULL
    OR (r.run >= :prefix AND substr(r.run, 1, CAST(:length AS INTEGER)) = :prefix))
GROUP BY r.run, s.id, s.scope_user, s.scope_agent, s.scope_project, s.scope_session
HAVING :unfinished = 0 OR SUM(CASE WHEN r.status = 'completed' THEN 0 ELSE 1 END) > 0
ORDER BY r.run, s.id LIMIT :limit;

-- name: add_checkpoint
INSERT INTO checkpoints (
  space, id, scope, created_at, changed_at, deleted_at, run, phase, position, status, attempts,
  output, error)
VALUES (
  :space, :id, :scope, :created_at, :changed_at, :deleted_at, :run, :phase, :position, :status,
  :attempts, :output, :error);

-- name: change_checkpoint
UPDATE checkpoints SET changed_at = :changed_at, deleted_at = :deleted_at, status = :status,
  attempts = :attempts, output = :output, error = :error
WHERE space = :space AND id = :id AND changed_at = :was_changed_at;

-- name: stored_checkpoints
SELECT {{record_state}}, {{checkpoint_fields}} FROM checkpoints AS r
WHERE r.space = :space AND r.scope = :scope ORDER BY r.id;
