-- fragment: record.attempts
attempts AS r

-- fragment: record_fields.attempts
{{attempt_fields}}

-- fragment: record_narrowed.attempts
{{attempt_narrowed}}

-- fragment: attempt_fields
r.conversation, r.first, r.last, r.messages, r.outcome, r.method, r.reason, r.input, r.output,
r.cost, r.changes, r.proposals

-- fragment: attempt_narrowed
(CAST(:conversation AS TEXT) IS NULL OR r.conversation = :conversation)
  AND (CAST(:outcome AS TEXT) IS NULL OR r.outcome = :outcome)
  AND (CAST(:position AS INTEGER) IS NULL OR r.first <= :position AND r.last >= :position)
  AND (CAST(:but AS TEXT) IS NULL OR r.outcome <> :but)
  AND r.id > :since

-- name: add_attempt
INSERT INTO attempts (
  space, id, scope, created_at, changed_at, deleted_at, conversation, first, last, messages,
  outcome, method, reason, input, output, cost, changes, proposals)
VALUES (
  :space, :id, :scope, :created_at, :changed_at, :deleted_at, :conversation, :first, :last,
  :messages, :outcome, :method, :reason, :input, :output, :cost, :changes, :proposals);

-- name: attempts_of_conversation
SELECT r.id, s.scope_user, s.scope_agent, s.scope_project, s.scope_session FROM attempts AS r
JOIN scopes AS s ON s.space = :space AND s.id = r.scope
WHERE r.space = :space AND r.conversation = :conversation ORDER BY r.id;

-- name: attempts_with_words
SELECT r.id, r.changes, r.proposals FROM attempts AS r
WHERE r.space = :space AND r.scope = :scope AND r.proposals <> '[]' ORDER BY r.id;

-- name: attempts_with_words_since
SELECT r.id, s.scope_user, s.scope_agent, s.scope_project, s.scope_session FROM attempts AS r
JOIN scopes AS s ON s.space = :space AND s.id = r.scope
WHERE r.space = :space AND r.conversation = :conversation AND r.last >= :position
  AND r.proposals <> '[]' ORDER BY r.id;

-- name: forget_words
UPDATE attempts SET proposals = '[]', changed_at = :now WHERE space = :space AND id = :id;

-- name: attempt_state
SELECT {{record_state}}, {{attempt_fields}} FROM attempts AS r
WHERE r.space = :space AND r.id = :id;

-- name: stored_attempts
SELECT {{record_state}}, {{attempt_fields}} FROM attempts AS r
WHERE r.space = :space AND r.scope = :scope ORDER BY r.id;

-- name: missed_attempts
-- The turns that the daily limit kept from the model, and that no later attempt was about.
SELECT {{record_head}}, {{attempt_fields}} FROM scopes AS s
JOIN attempts AS r ON r.space = :space AND r.scope = s.id AND r.method = 'capped'
WHERE {{visible}} AND r.deleted_at IS NULL
  AND (CAST(:conversation AS TEXT) IS NULL OR r.conversation = :conversation)
  AND NOT EXISTS (
    SELECT 1 FROM attempts AS a
    WHERE a.space = :space AND a.conversation = r.conversation AND a.first = r.first
      AND a.id > r.id AND a.outcome <> 'failed')
ORDER BY r.id;
