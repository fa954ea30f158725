-- fragment: record.conflicts
conflicts AS r

-- fragment: record_fields.conflicts
{{conflict_fields}}

-- fragment: record_narrowed.conflicts
{{conflict_narrowed}}

-- fragment: conflict_fields
r.older, r.newer, r.reason, r.settled_at, r.kept, r.resolution

-- fragment: conflict_narrowed
(:settled = 0 AND r.settled_at IS NULL OR :settled = 1 AND r.settled_at IS NOT NULL)

-- name: add_conflict
INSERT INTO conflicts (
  space, id, scope, created_at, changed_at, deleted_at, older, newer, reason, settled_at, kept,
  resolution)
VALUES (
  :space, :id, :scope, :created_at, :changed_at, :deleted_at, :older, :newer, :reason,
  :settled_at, :kept, :resolution);

-- name: change_conflict
UPDATE conflicts SET changed_at = :changed_at, deleted_at = :deleted_at,
  settled_at = :settled_at, kept = :kept, resolution = :resolution
WHERE space = :space AND id = :id AND changed_at = :was_changed_at;

-- name: find_conflict
-- The conflict of exactly this scope between these two facts.
SELECT {{record_head}}, {{conflict_fields}} FROM conflicts AS r
JOIN scopes AS s ON s.space = :space AND s.id = r.scope
WHERE r.space = :space AND r.scope = :scope AND r.older = :older AND r.newer = :newer;

-- name: open_conflicts_of
SELECT {{record_head}}, {{conflict_fields}} FROM conflicts AS r
JOIN scopes AS s ON s.space = :space AND s.id = r.scope
WHERE {{visible}} AND r.space = :space AND (r.older = :fact OR r.newer = :fact)
  AND r.settled_at IS NULL
ORDER BY r.id;

-- name: conflicts_of_fact
SELECT r.id, s.scope_user, s.scope_agent, s.scope_project, s.scope_session FROM conflicts AS r
JOIN scopes AS s ON s.space = :space AND s.id = r.scope
WHERE r.space = :space AND (r.older = :fact OR r.newer = :fact) ORDER BY r.id;

-- name: stored_conflicts
SELECT {{record_state}}, {{conflict_fields}} FROM conflicts AS r
WHERE r.space = :space AND r.scope = :scope ORDER BY r.id;
