-- The outbox: passages and decisions that wait for their vector. Passages have positive numbers,
-- decisions negative ones.

-- fragment: embedded_text
-- The text to embed of a passage. A key belongs to the text of its fact.
COALESCE(
  p.stored, SUBSTR(m.content, CAST(p.start AS INTEGER) + 1, CAST(p.length AS INTEGER)),
  CASE WHEN f.key IS NULL THEN '' ELSE f.key || ': ' END
    || SUBSTR(f.text, CAST(p.start AS INTEGER) + 1, CAST(p.length AS INTEGER)))

-- fragment: passage_sources
LEFT JOIN facts AS f ON f.space = :space AND f.id = p.record AND p.kind = 'facts'
LEFT JOIN messages AS m ON m.space = :space AND m.id = p.record AND p.kind = 'messages'

-- name: enqueue
INSERT INTO outbox (space, seq, attempts, due_at) VALUES (:space, :seq, 0, :due_at)
ON CONFLICT (space, seq) DO UPDATE SET attempts = 0, due_at = excluded.due_at, problem = NULL;

-- name: dequeue
DELETE FROM outbox WHERE space = :space AND seq = :seq;

-- name: postpone
-- Embedding failed: try again later.
UPDATE outbox SET attempts = attempts + 1, due_at = :due_at, problem = :problem
WHERE space = :space AND seq = :seq;

-- name: hasten
-- Try now what failed before, instead of later.
UPDATE outbox SET due_at = :now WHERE space = :space AND attempts > 0 AND due_at > :now;

-- name: first_in_outbox
-- The job that has been due for the longest time.
SELECT o.seq FROM outbox AS o
WHERE o.space = :space AND o.due_at <= :now
ORDER BY o.due_at, o.seq LIMIT 1;

-- name: next_in_outbox
SELECT o.seq, o.attempts, COALESCE({{embedded_text}}, d.text)
FROM outbox AS o
LEFT JOIN passages AS p ON p.space = :space AND p.seq = o.seq
{{passage_sources}}
LEFT JOIN decisions AS d ON d.space = :space AND d.number = -o.seq
WHERE o.space = :space AND o.due_at <= :now AND (p.seq IS NOT NULL OR d.id IS NOT NULL)
ORDER BY o.due_at, o.seq LIMIT :limit;

-- name: lease
-- Lease a job: no other worker takes it before the lease ends.
UPDATE outbox SET due_at = :due_at WHERE space = :space AND seq = :seq;

-- name: count_outbox
-- The number of visible passages and decisions that wait.
SELECT (
  SELECT COUNT(*) FROM scopes AS s
  JOIN partitions AS h ON h.space = :space AND h.scope = s.id
  JOIN outbox AS o ON o.space = :space
  JOIN passages AS p ON p.space = :space AND p.seq = o.seq AND p.partition = h.id
  WHERE {{visible}}) + (
  SELECT COUNT(*) FROM scopes AS s
  JOIN decisions AS d ON d.space = :space AND d.scope = s.id
  JOIN outbox AS o ON o.space = :space AND o.seq = -d.number
  WHERE {{visible}});

-- name: last_in_outbox
-- The newest passage that waits. Mostly none does, and the texts need not be asked for.
SELECT o.seq FROM outbox AS o WHERE o.space = :space AND o.seq > 0 ORDER BY o.seq DESC LIMIT 1;

-- name: newest_in_outbox
-- The short visible passages that wait, newest first. No more than the newest 500 are read, so
-- that a query is as fast beside a long backlog.
SELECT p.seq, p.partition, {{embedded_text}}
FROM (
  SELECT w.* FROM outbox AS o JOIN passages AS w ON w.space = :space AND w.seq = o.seq
  WHERE o.space = :space AND o.seq > 0 ORDER BY o.seq DESC LIMIT 500) AS p
{{passage_sources}}
WHERE p.length <= :longest AND EXISTS (
  SELECT 1 FROM partitions AS h JOIN scopes AS s ON s.space = :space AND s.id = h.scope
  WHERE h.space = :space AND h.id = p.partition AND {{visible}})
ORDER BY p.seq DESC LIMIT :limit;
