-- name: serving_embedder
SELECT id, model, dimensions FROM embedders WHERE space = :space AND serving = 1;

-- name: vectors_against_texts
-- The number of vectors of a model, of those with a wrong size, and of texts that have none and do not
-- wait for one.
SELECT
  (SELECT COUNT(*) FROM vectors AS v
   WHERE v.space = :space AND v.embedder = :embedder AND v.vector IS NOT NULL),
  (SELECT COUNT(*) FROM vectors AS v
   WHERE v.space = :space AND v.embedder = :embedder AND LENGTH(v.vector) <> :size),
  (SELECT COUNT(*) FROM passages AS p
   WHERE p.space = :space AND p.embedded = 1
     AND NOT EXISTS (
       SELECT 1 FROM vectors AS v
       WHERE v.space = :space AND v.embedder = :embedder AND v.seq = p.seq)
     AND NOT EXISTS (SELECT 1 FROM outbox AS o WHERE o.space = :space AND o.seq = p.seq));

-- name: waiting_texts
SELECT COUNT(*), COALESCE(SUM(CASE WHEN attempts > 0 THEN 1 ELSE 0 END), 0), MIN(due_at)
FROM outbox WHERE space = :space;

-- name: ended_leases
-- Tasks and conversations whose lease ended long ago, and that nobody took since.
SELECT
  (SELECT COUNT(*) FROM tasks AS t
   WHERE t.space = :space AND t.status = 'claimed' AND t.deleted_at IS NULL
     AND t.lease_until < :before),
  (SELECT COUNT(*) FROM learning AS l
   WHERE l.space = :space AND l.learned < l.wanted AND l.leased_until > 0
     AND l.leased_until < :before);

-- name: newest_stamp
SELECT MAX(at) FROM audit WHERE space = :space;
