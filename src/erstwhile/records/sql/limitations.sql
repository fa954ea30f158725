-- fragment: limitation_fields
r.title, r.description, r.plan, r.reports, r.reported_at, r.resolved_at, r.resolution

-- fragment: limitation_narrowed
(:status = 'any' OR (:status = 'open' AND r.resolved_at IS NULL)
  OR (:status = 'resolved' AND r.resolved_at IS NOT NULL))

-- name: add_limitation
INSERT INTO limitations (
  space, id, scope, created_at, changed_at, deleted_at, title, fingerprint, description, plan,
  reports, reported_at, resolved_at, resolution)
VALUES (
  :space, :id, :scope, :created_at, :changed_at, :deleted_at, :title, :fingerprint, :description,
  :plan, :reports, :reported_at, :resolved_at, :resolution);

-- name: change_limitation
UPDATE limitations SET changed_at = :changed_at, deleted_at = :deleted_at,
  description = :description, plan = :plan, reports = :reports, reported_at = :reported_at,
  resolved_at = :resolved_at, resolution = :resolution
WHERE space = :space AND id = :id AND changed_at = :was_changed_at;

-- name: find_open_limitation
-- The open limitation of exactly this scope with this title.
SELECT {{record_head}}, {{limitation_fields}} FROM limitations AS r
JOIN scopes AS s ON s.space = :space AND s.id = r.scope
WHERE r.space = :space AND r.scope = :scope AND r.fingerprint = :fingerprint
  AND r.resolved_at IS NULL AND r.deleted_at IS NULL;

-- name: stored_limitations
SELECT {{record_state}}, {{limitation_fields}} FROM limitations AS r
WHERE r.space = :space AND r.scope = :scope ORDER BY r.id;
