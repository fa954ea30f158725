-- fragment: outcome_fields
r.domain, r.score, r.note, r.source

-- fragment: outcome_narrowed
(CAST(:domain AS TEXT) IS NULL OR r.domain = :domain)
  AND (CAST(:score AS INTEGER) IS NULL OR r.score = :score)
  AND r.created_at >= :since AND r.created_at < :until

-- name: add_outcome
INSERT INTO outcomes (
  space, id, scope, created_at, changed_at, deleted_at, domain, score, note, source)
VALUES (
  :space, :id, :scope, :created_at, :changed_at, :deleted_at, :domain, :score, :note, :source);

-- name: change_outcome
UPDATE outcomes SET changed_at = :changed_at, deleted_at = :deleted_at
WHERE space = :space AND id = :id AND changed_at = :was_changed_at;

-- name: tally_outcomes
-- The number of good, neutral and bad outcomes in each domain of each project.
SELECT r.domain, s.scope_project, SUM(CASE WHEN r.score = 1 THEN 1 ELSE 0 END),
  SUM(CASE WHEN r.score = 0 THEN 1 ELSE 0 END), SUM(CASE WHEN r.score = -1 THEN 1 ELSE 0 END)
FROM scopes AS s JOIN outcomes AS r ON r.space = :space AND r.scope = s.id
WHERE {{visible}} AND r.deleted_at IS NULL AND {{outcome_narrowed}}
GROUP BY r.domain, s.scope_project ORDER BY r.domain, s.scope_project;

-- name: stored_outcomes
SELECT {{record_state}}, {{outcome_fields}} FROM outcomes AS r
WHERE r.space = :space AND r.scope = :scope ORDER BY r.id;
