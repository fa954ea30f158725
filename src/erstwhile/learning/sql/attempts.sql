-- fragment: record.attempts
attempts AS r

-- fragment: record_fields.attempts
{{attempt_fields}}

-- fragment: record_narrowed.attempts
{{attempt_narrowed}}

-- fragment: attempt_fields
r.conversation, r.first, r.last, r.messages, r.outcome, r.method, r.reason, r.input, r.output,
r.cost, r.changes

-- fragment: attempt_narrowed
(CAST(:conversation AS TEXT) IS NULL OR r.conversation = :conversation)
  AND (CAST(:outcome AS TEXT) IS NULL OR r.outcome = :outcome)
  AND r.id > :since

-- name: add_attempt
INSERT INTO attempts (
  space, id, scope, created_at, changed_at, deleted_at, conversation, first, last, messages,
  outcome, method, reason, input, output, cost, changes)
VALUES (
  :space, :id, :scope, :created_at, :changed_at, :deleted_at, :conversation, :first, :last,
  :messages, :outcome, :method, :reason, :input, :output, :cost, :changes);

-- name: attempts_of_conversation
SELECT r.id, s.scope_user, s.scope_agent, s.scope_project, s.scope_session FROM attempts AS r
JOIN scopes AS s ON s.space = r.space AND s.id = r.scope
WHERE r.space = :space AND r.conversation = :conversation ORDER BY r.id;

-- name: stored_attempts
SELECT {{record_state}}, {{attempt_fields}} FROM attempts AS r
WHERE r.space = :space AND r.scope = :scope ORDER BY r.id;
