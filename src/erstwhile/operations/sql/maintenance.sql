-- The lease of maintenance: one process at a time works on a space.

-- name: take_maintenance
-- Take the lease, if nobody has it, or the process that has it has ended.
INSERT INTO maintenance (space, token, leased_until) VALUES (:space, :token, :until)
ON CONFLICT (space) DO UPDATE SET token = excluded.token, leased_until = excluded.leased_until
WHERE maintenance.leased_until < :now OR maintenance.token = :ended;

-- name: renew_maintenance
UPDATE maintenance SET leased_until = :until WHERE space = :space AND token = :token;

-- name: end_maintenance
UPDATE maintenance SET leased_until = 0, finished_at = :now
WHERE space = :space AND token = :token;

-- name: touch_maintenance
-- Leave the mark of a round trip, unless somebody has the lease. A mark is a time long past.
INSERT INTO maintenance (space, token, leased_until) VALUES (:space, '', :mark)
ON CONFLICT (space) DO UPDATE SET leased_until = excluded.leased_until
WHERE maintenance.leased_until < :now;

-- name: maintenance_lease
SELECT leased_until, token FROM maintenance WHERE space = :space;

-- Rows that belong to nothing.

-- name: orphaned_passages
-- The records that have passages and do not exist.
SELECT DISTINCT p.record FROM passages AS p WHERE p.space = :space AND CASE p.kind
  WHEN 'facts' THEN NOT EXISTS (
    SELECT 1 FROM facts AS t WHERE t.space = :space AND t.id = p.record)
  WHEN 'messages' THEN NOT EXISTS (
    SELECT 1 FROM messages AS t WHERE t.space = :space AND t.id = p.record)
  WHEN 'observations' THEN NOT EXISTS (
    SELECT 1 FROM observations AS t WHERE t.space = :space AND t.id = p.record)
  WHEN 'lessons' THEN NOT EXISTS (
    SELECT 1 FROM lessons AS t WHERE t.space = :space AND t.id = p.record)
  WHEN 'summaries' THEN NOT EXISTS (
    SELECT 1 FROM conversations AS t WHERE t.space = :space AND t.id = p.record)
  ELSE 1 = 0 END;

-- fragment: without_text
NOT EXISTS (SELECT 1 FROM passages AS p WHERE p.space = :space AND p.seq = t.seq)
  AND NOT EXISTS (SELECT 1 FROM decisions AS d WHERE d.space = :space AND d.number = -t.seq)

-- name: orphaned_vectors
SELECT DISTINCT t.seq FROM vectors AS t
WHERE t.space = :space AND t.vector IS NOT NULL AND {{without_text}};

-- name: orphaned_waiting
SELECT t.seq FROM outbox AS t WHERE t.space = :space AND {{without_text}};
