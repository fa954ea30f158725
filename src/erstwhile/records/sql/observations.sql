-- fragment: observation_fields
r.type, r.title, r.what, r.why, r.place, r.learned

-- fragment: observation_narrowed
(CAST(:type AS TEXT) IS NULL OR r.type = :type)
  AND r.created_at >= :since AND r.created_at < :until

-- name: add_observation
INSERT INTO observations (
  space, id, scope, created_at, changed_at, deleted_at, type, title, what, why, place, learned)
VALUES (
  :space, :id, :scope, :created_at, :changed_at, :deleted_at, :type, :title, :what, :why, :place,
  :learned);

-- name: change_observation
UPDATE observations SET changed_at = :changed_at, deleted_at = :deleted_at
WHERE space = :space AND id = :id AND changed_at = :was_changed_at;

-- name: stored_observations
SELECT {{record_state}}, {{observation_fields}} FROM observations AS r
WHERE r.space = :space AND r.scope = :scope ORDER BY r.id;
