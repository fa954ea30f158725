-- fragment: decision_columns
d.id, s.scope_user, s.scope_agent, s.scope_project, s.scope_session, d.goal, d.tool, d.choice,
       d.input, d.turn, d.message, d.rationale, d.options, d.decided_by, d.decided_at, d.lasts,
       d.covers, d.transient, d.key, d.recorded_at, d.superseded_by, d.superseded_because,
       d.deleted_at, d.trusted, d.outcome, d.outcome_good, d.outcome_at

-- fragment: decision_kept.present
d.deleted_at IS NULL

-- fragment: decision_kept.deleted
d.deleted_at IS NOT NULL

-- name: add_decision
INSERT INTO decisions (
  space, id, scope, key, goal, goal_digest, turn, tool, input, digest, covers, text, choice, message,
  rationale, options, decided_by, decided_at, lasts, transient, recorded_at, changed_at, outcome, outcome_good,
  outcome_at, trusted)
VALUES (
  :space, :id, :scope, :key, :goal, :goal_digest, :turn, :tool, :input, :digest, :covers, :text, :choice,
  :message, :rationale, :options, :decided_by, :decided_at, :lasts, :transient, :recorded_at,
  :changed_at, :outcome, :outcome_good, :outcome_at, :trusted)
ON CONFLICT (space, scope, key) DO NOTHING
RETURNING number;

-- name: change_decision
UPDATE decisions SET changed_at = :changed_at, outcome = :outcome, outcome_good = :outcome_good,
  outcome_at = :outcome_at, superseded_by = :superseded_by, superseded_because = :superseded_because,
  deleted_at = :deleted_at, trusted = :trusted
WHERE space = :space AND id = :id;

-- name: find_decisions
-- The visible decisions whose ids lie between two ids. A few rows show whether an id is ambiguous.
SELECT {{decision_columns}}
FROM decisions AS d JOIN scopes AS s ON s.space = :space AND s.id = d.scope
WHERE {{visible}} AND d.space = :space AND d.id >= :lowest AND d.id <= :highest
  AND {{decision_kept}}
ORDER BY d.id LIMIT 6;

-- name: decision_with_key
SELECT {{decision_columns}}
FROM decisions AS d JOIN scopes AS s ON s.space = :space AND s.id = d.scope
WHERE d.space = :space AND d.scope = :scope AND d.key = :key;

-- name: digest_keys
-- The keys of the visible scopes.
SELECT s.id, s.digest_key FROM scopes AS s WHERE {{visible}};

-- name: digest_key_of_scope
SELECT digest_key FROM scopes WHERE space = :space AND id = :scope;

-- fragment: decision_filters
{{decision_kept}} AND (CAST(:goal AS TEXT) IS NULL OR d.goal = :goal)
  AND (CAST(:tool AS TEXT) IS NULL OR d.tool = :tool)
  AND (CAST(:choice AS TEXT) IS NULL OR d.choice = :choice)
  AND (CAST(:decided_by AS TEXT) IS NULL OR d.decided_by = :decided_by)
  AND d.decided_at >= :since AND d.decided_at < :until

-- name: list_decisions
-- Newest first. The inner select takes a page from each visible scope by an index.
SELECT {{decision_columns}}
FROM scopes AS s JOIN decisions AS d ON d.space = :space AND d.scope = s.id AND d.id IN (
  SELECT d.id FROM decisions AS d
  WHERE d.space = :space AND d.scope = s.id AND d.id < :before AND {{decision_filters}}
  ORDER BY d.id DESC LIMIT :limit)
WHERE {{visible}}
ORDER BY d.id DESC LIMIT :limit;

-- name: count_decisions
SELECT COUNT(*)
FROM scopes AS s JOIN decisions AS d ON d.space = :space AND d.scope = s.id
WHERE {{visible}} AND {{decision_filters}};

-- fragment: namespace.goal
d.goal = :goal

-- fragment: namespace.global
1 = 1

-- fragment: seen_at
-- The time that counts: nothing is decided later than it is recorded.
CASE WHEN d.decided_at < d.recorded_at THEN d.decided_at ELSE d.recorded_at END

-- name: decisions_to_compare
-- All visible decisions of the namespace. The filters apply before any limit.
SELECT d.number, d.scope, d.tool, d.text, {{seen_at}}, d.digest, d.choice
FROM scopes AS s JOIN decisions AS d ON d.space = :space AND d.scope = s.id
WHERE {{visible}} AND {{namespace}} AND d.superseded_by IS NULL AND d.deleted_at IS NULL;

-- fragment: judgement_columns
d.number, d.scope, d.text, d.digest, d.covers, d.input, {{seen_at}}, d.choice,
       CASE WHEN d.trusted = 1 THEN d.decided_by ELSE 'rule' END, d.goal_digest, d.lasts, d.outcome_good,
       d.id

-- fragment: same_tool
-- `tools` has the names of the tool in lower case, each between two commas. SQLite lowers only ASCII.
(d.tool = :tool OR replace(:tools, ',' || lower(d.tool) || ',', '') <> :tools)

-- name: judgements_on_tool
-- What people and rules allowed or denied. The first condition is the one of a partial index.
-- An untrusted decision of a person allows nothing, and denies as a rule does.
SELECT {{judgement_columns}}
FROM scopes AS s JOIN decisions AS d ON d.space = :space AND d.scope = s.id
WHERE {{visible}} AND d.choice <> 'observe' AND {{same_tool}} AND {{namespace}}
  AND d.decided_by IN ('person', 'rule') AND d.transient = 0
  AND (d.trusted = 1 OR d.choice = 'deny')
  AND d.superseded_by IS NULL AND d.deleted_at IS NULL;

-- name: denials_of_other_tools
SELECT d.input, d.tool, d.id
FROM scopes AS s JOIN decisions AS d ON d.space = :space AND d.scope = s.id
WHERE {{visible}} AND d.choice <> 'observe' AND d.choice = 'deny' AND NOT {{same_tool}} AND {{namespace}}
  AND d.decided_by IN ('person', 'rule') AND d.transient = 0 AND d.lasts = 'always'
  AND d.superseded_by IS NULL AND d.deleted_at IS NULL;

-- name: other_judgements_on_tool
-- What models, agents and earlier advice allowed or denied lately. It decides nothing.
SELECT {{judgement_columns}}
FROM scopes AS s JOIN decisions AS d ON d.space = :space AND d.scope = s.id
WHERE {{visible}} AND d.choice <> 'observe' AND {{same_tool}} AND {{namespace}}
  AND d.decided_by NOT IN ('person', 'rule') AND d.transient = 0
  AND d.superseded_by IS NULL AND d.deleted_at IS NULL
ORDER BY d.number DESC LIMIT 100;

-- name: read_decision
SELECT {{decision_columns}}
FROM decisions AS d JOIN scopes AS s ON s.space = :space AND s.id = d.scope
WHERE {{visible}} AND d.space = :space AND d.number = :number;

-- name: old_decisions
SELECT {{decision_columns}}
FROM scopes AS s JOIN decisions AS d ON d.space = :space AND d.scope = s.id
WHERE {{visible}} AND d.decided_at < :before
  AND (CAST(:decided_by AS TEXT) IS NULL OR d.decided_by = :decided_by)
ORDER BY d.decided_at LIMIT :limit;

-- name: deleted_decisions
-- Oldest deletion first.
SELECT {{decision_columns}}
FROM scopes AS s JOIN decisions AS d ON d.space = :space AND d.scope = s.id
WHERE {{visible}} AND d.deleted_at <= :before ORDER BY d.deleted_at, d.id LIMIT :limit;

-- name: number_and_digests
SELECT number, digest, goal_digest FROM decisions WHERE space = :space AND id = :id;

-- name: overwrite_decision
-- Long texts lie on pages of their own: overwrite them before the row is removed.
UPDATE decisions SET input = :blank, text = :blank, digest = :no_digest, goal_digest = :no_digest, key = id,
  message = '', rationale = '', options = '', outcome = NULL, superseded_because = NULL, goal = '',
  tool = ''
WHERE space = :space AND id = :id;

-- name: remove_decision
DELETE FROM decisions WHERE space = :space AND id = :id;

-- name: stored_decisions
-- The decisions of one scope, in the order of the audit digest.
SELECT d.id, d.changed_at, NULL, d.key, d.goal, d.goal_digest, d.turn, d.tool, d.input, d.digest,
       d.covers, d.text, d.choice, d.message, d.rationale, d.options, d.decided_by, d.decided_at,
       d.lasts, d.transient, d.recorded_at, d.outcome, d.outcome_good, d.outcome_at, d.superseded_by, d.superseded_because,
       d.deleted_at
FROM decisions AS d
WHERE d.space = :space AND d.scope = :scope ORDER BY d.number;

-- name: decisions_within
SELECT {{decision_columns}}
FROM scopes AS s JOIN decisions AS d ON d.space = :space AND d.scope = s.id
WHERE {{within}} ORDER BY d.number LIMIT :limit;
