-- fragment: decision_columns
d.number, d.id, s.scope_user, s.scope_agent, s.scope_project, s.scope_session,
       d.goal, d.turn, d.tool, d.input, d.choice, d.message, d.rationale, d.options, d.decided_by,
       d.decided_at, d.lasts, d.transient, d.recorded_at, d.outcome, d.outcome_good, d.outcome_at,
       d.superseded_by, d.superseded_because

-- name: add_decision
INSERT INTO decisions (
  space, id, scope, goal, turn, tool, input, text, choice, message, rationale, options, decided_by,
  decided_at, lasts, transient, recorded_at, changed_at)
VALUES (
  :space, :id, :scope, :goal, :turn, :tool, :input, :text, :choice, :message, :rationale, :options,
  :decided_by, :decided_at, :lasts, :transient, :recorded_at, :changed_at)
ON CONFLICT (space, id) DO NOTHING
RETURNING number;

-- name: change_decision
UPDATE decisions SET changed_at = :changed_at, outcome = :outcome, outcome_good = :outcome_good,
  outcome_at = :outcome_at, superseded_by = :superseded_by, superseded_because = :superseded_because
WHERE space = :space AND id = :id;

-- name: find_decisions
-- Those whose id begins so.
SELECT {{decision_columns}}
FROM decisions AS d JOIN scopes AS s ON s.space = d.space AND s.id = d.scope
WHERE {{visible}} AND d.space = :space AND d.id >= :lowest AND d.id <= :highest
ORDER BY d.id LIMIT 6;

-- fragment: decisions_wanted
(CAST(:goal AS TEXT) IS NULL OR d.goal = :goal)
  AND (CAST(:tool AS TEXT) IS NULL OR d.tool = :tool)

-- name: list_decisions
-- Newest first: of each visible scope its newest, and the newest of these.
SELECT {{decision_columns}}
FROM scopes AS s JOIN decisions AS d ON d.space = s.space AND d.scope = s.id AND d.number IN (
  SELECT d.number FROM decisions AS d
  WHERE d.space = s.space AND d.scope = s.id AND d.number < :before AND {{decisions_wanted}}
    AND (CAST(:choice AS TEXT) IS NULL OR d.choice = :choice)
    AND (CAST(:decided_by AS TEXT) IS NULL OR d.decided_by = :decided_by)
    AND d.decided_at >= :since AND d.decided_at < :until
  ORDER BY d.number DESC LIMIT :limit)
WHERE {{visible}}
ORDER BY d.number DESC LIMIT :limit;

-- name: count_decisions
SELECT COUNT(*)
FROM scopes AS s JOIN decisions AS d ON d.space = s.space AND d.scope = s.id
WHERE {{visible}} AND {{decisions_wanted}}
  AND (CAST(:choice AS TEXT) IS NULL OR d.choice = :choice)
  AND (CAST(:decided_by AS TEXT) IS NULL OR d.decided_by = :decided_by)
  AND d.decided_at >= :since AND d.decided_at < :until;

-- fragment: namespace.goal
d.goal = :goal

-- fragment: namespace.global
1 = 1

-- fragment: comparable.any
d.superseded_by IS NULL

-- fragment: comparable.judged
d.tool = :tool AND d.superseded_by IS NULL AND d.transient = 0 AND d.decided_by <> 'advice'

-- name: decisions_to_compare
-- Every visible decision of the namespace; what takes no part is left out here, before any limit.
SELECT d.number, d.tool, d.text, d.decided_at,
       CASE WHEN d.tool = :tool AND d.input = :input THEN 1 ELSE 0 END, d.choice, d.decided_by
FROM scopes AS s JOIN decisions AS d ON d.space = s.space AND d.scope = s.id
WHERE {{visible}} AND {{namespace}} AND {{comparable}};

-- name: read_decision
SELECT {{decision_columns}}
FROM decisions AS d JOIN scopes AS s ON s.space = d.space AND s.id = d.scope
WHERE {{visible}} AND d.space = :space AND d.number = :number;

-- name: old_decisions
SELECT {{decision_columns}}
FROM scopes AS s JOIN decisions AS d ON d.space = s.space AND d.scope = s.id
WHERE {{visible}} AND d.decided_at < :until ORDER BY d.decided_at LIMIT :limit;

-- name: overwrite_decision
-- Long texts lie on pages of their own: write over them before the row goes.
UPDATE decisions SET input = :blank, text = :blank, message = '', rationale = '', options = '',
  outcome = NULL, superseded_because = NULL, goal = '', tool = ''
WHERE space = :space AND id = :id;

-- name: remove_decision
DELETE FROM decisions WHERE space = :space AND id = :id;

-- name: stored_decisions
-- Every decision of one scope, as the audit trail digests it.
SELECT d.id, d.changed_at, NULL, d.scope, d.goal, d.turn, d.tool, d.input, d.text, d.choice,
       d.message, d.rationale, d.options, d.decided_by, d.decided_at, d.lasts, d.transient, d.recorded_at,
       d.outcome, d.outcome_good, d.outcome_at, d.superseded_by, d.superseded_because
FROM decisions AS d
WHERE d.space = :space AND d.scope = :scope ORDER BY d.number;
