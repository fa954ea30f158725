-- fragment: usage_fields
r.model, r.session, r.at, r.input, r.output, r.cache_read, r.cache_write, r.cost

-- fragment: usage_narrowed
(CAST(:model AS TEXT) IS NULL OR r.model = :model)
  AND (CAST(:of_session AS TEXT) IS NULL OR r.session = :of_session)
  AND r.at >= :since AND r.at < :until

-- fragment: split.all
CAST(NULL AS TEXT)

-- fragment: split.day
r.at / 86400000000

-- fragment: split.model
r.model

-- fragment: split.session
r.session

-- name: add_usage
INSERT INTO usage (
  space, id, scope, created_at, changed_at, deleted_at, model, session, at, input, output,
  cache_read, cache_write, cost)
VALUES (
  :space, :id, :scope, :created_at, :changed_at, :deleted_at, :model, :of_session, :at, :input,
  :output, :cache_read, :cache_write, :cost);

-- name: change_usage
UPDATE usage SET changed_at = :changed_at, deleted_at = :deleted_at
WHERE space = :space AND id = :id AND changed_at = :was_changed_at;

-- name: sum_usage
SELECT {{split}}, COUNT(*), SUM(r.input), SUM(r.output), SUM(r.cache_read), SUM(r.cache_write),
  SUM(r.cost), COUNT(*) - COUNT(r.cost)
FROM scopes AS s JOIN usage AS r ON r.space = :space AND r.scope = s.id
WHERE {{visible}} AND r.deleted_at IS NULL AND {{usage_narrowed}}
GROUP BY {{split}};

-- name: stored_usage
SELECT {{record_state}}, {{usage_fields}} FROM usage AS r
WHERE r.space = :space AND r.scope = :scope ORDER BY r.id;
