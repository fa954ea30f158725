-- Sealing the audit trail: old entries that no stored state needs are removed.

-- fragment: needed
-- Whether a stored state has this entry. Unknown kinds stay. The newest erasure whose bytes may be
-- left in the store keeps its entry, too.
CASE
  WHEN a.action LIKE 'block.%' THEN EXISTS (
    SELECT 1 FROM block_states AS t
    WHERE t.space = :space AND t.id = a.subject AND t.known_from = a.at)
  WHEN a.action LIKE 'decision.%' THEN EXISTS (
    SELECT 1 FROM decisions AS t
    WHERE t.space = :space AND t.id = a.subject AND t.changed_at = a.at)
  WHEN a.action LIKE 'conversation.%' THEN EXISTS (
    SELECT 1 FROM conversations AS t
    WHERE t.space = :space AND t.id = a.subject AND t.changed_at = a.at)
  WHEN a.action LIKE 'message.%' THEN EXISTS (
    SELECT 1 FROM messages AS t
    WHERE t.space = :space AND t.id = a.subject AND t.changed_at = a.at)
  WHEN a.action LIKE 'compaction.%' THEN EXISTS (
    SELECT 1 FROM compactions AS t
    WHERE t.space = :space AND t.id = a.subject AND t.changed_at = a.at)
  WHEN a.action LIKE 'session.%' THEN EXISTS (
    SELECT 1 FROM sessions AS t
    WHERE t.space = :space AND t.id = a.subject AND t.changed_at = a.at)
  WHEN a.action LIKE 'identity.%' THEN EXISTS (
    SELECT 1 FROM identities AS t
    WHERE t.space = :space AND t.id = a.subject AND t.changed_at = a.at)
  WHEN a.action LIKE 'outcome.%' THEN EXISTS (
    SELECT 1 FROM outcomes AS t
    WHERE t.space = :space AND t.id = a.subject AND t.changed_at = a.at)
  WHEN a.action LIKE 'lesson.%' THEN EXISTS (
    SELECT 1 FROM lessons AS t
    WHERE t.space = :space AND t.id = a.subject AND t.changed_at = a.at)
  WHEN a.action LIKE 'observation.%' THEN EXISTS (
    SELECT 1 FROM observations AS t
    WHERE t.space = :space AND t.id = a.subject AND t.changed_at = a.at)
  WHEN a.action LIKE 'limitation.%' THEN EXISTS (
    SELECT 1 FROM limitations AS t
    WHERE t.space = :space AND t.id = a.subject AND t.changed_at = a.at)
  WHEN a.action LIKE 'usage.%' THEN EXISTS (
    SELECT 1 FROM usage AS t
    WHERE t.space = :space AND t.id = a.subject AND t.changed_at = a.at)
  WHEN a.action LIKE 'task.%' THEN EXISTS (
    SELECT 1 FROM tasks AS t
    WHERE t.space = :space AND t.id = a.subject AND t.changed_at = a.at)
  WHEN a.action LIKE 'run.%' THEN EXISTS (
    SELECT 1 FROM task_runs AS t
    WHERE t.space = :space AND t.id = a.subject AND t.changed_at = a.at)
  WHEN a.action LIKE 'checkpoint.%' THEN EXISTS (
    SELECT 1 FROM checkpoints AS t
    WHERE t.space = :space AND t.id = a.subject AND t.changed_at = a.at)
  WHEN a.action LIKE 'snapshot.%' THEN EXISTS (
    SELECT 1 FROM snapshots AS t
    WHERE t.space = :space AND t.id = a.subject AND t.changed_at = a.at)
  WHEN a.action LIKE 'feedback.%' THEN EXISTS (
    SELECT 1 FROM feedback AS t
    WHERE t.space = :space AND t.id = a.subject AND t.changed_at = a.at)
  WHEN a.action LIKE 'attempt.%' THEN EXISTS (
    SELECT 1 FROM attempts AS t
    WHERE t.space = :space AND t.id = a.subject AND t.changed_at = a.at)
  WHEN a.action LIKE 'conflict.%' THEN EXISTS (
    SELECT 1 FROM conflicts AS t
    WHERE t.space = :space AND t.id = a.subject AND t.changed_at = a.at)
  WHEN a.action LIKE 'audit.%' THEN 1 = 0
  WHEN a.action LIKE '%.%' THEN 1 = 1
  WHEN a.action IN ('alias', 'unalias') THEN 1 = 0
  WHEN a.action = 'erase' THEN a.nonce IS NOT NULL AND a.number = (
    SELECT MAX(u.number) FROM audit AS u
    WHERE u.space = :space AND u.action = 'erase' AND u.nonce IS NOT NULL)
  ELSE EXISTS (
    SELECT 1 FROM fact_states AS t
    WHERE t.space = :space AND t.id = a.subject AND t.known_from = a.at)
END

-- name: last_old_entry
-- The number of the last entry of a chain before the first one that is younger than a moment. After
-- an import, older entries may follow younger ones.
SELECT COALESCE(MAX(a.seq), 0) FROM audit AS a
WHERE a.space = :space AND a.scope = :scope AND a.seq < COALESCE((
  SELECT MIN(y.seq) FROM audit AS y
  WHERE y.space = :space AND y.scope = :scope AND y.at >= :before), 9223372036854775807);

-- name: count_sealable
-- Of the old entries: the number of those that no state needs, and of all of them.
SELECT COALESCE(SUM(CASE WHEN {{needed}} THEN 0 ELSE 1 END), 0), COUNT(*) FROM audit AS a
WHERE a.space = :space AND a.scope = :scope AND a.seq < :last;

-- name: keep_entries
-- Mark the entries of a part of the chain that stay.
UPDATE audit AS a SET sealed = :last
WHERE a.space = :space AND a.scope = :scope AND a.seq > :after AND a.seq <= :until
  AND (a.seq = :last OR {{needed}});

-- name: kept_entries
SELECT seq, at, actor, action, subject, reason, nonce, digest, hash FROM audit
WHERE space = :space AND scope = :scope AND seq > :after AND seq <= :last AND sealed >= :last
ORDER BY seq LIMIT :limit;

-- name: remove_sealed
DELETE FROM audit
WHERE space = :space AND scope = :scope AND seq > :after AND seq <= :until AND sealed < :last;

-- name: count_left
-- The entries that a seal covers and does not keep.
SELECT COUNT(*) FROM audit
WHERE space = :space AND scope = :scope AND seq <= :last AND sealed < :last;
