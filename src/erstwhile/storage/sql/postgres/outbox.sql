-- name: next_in_outbox
-- Skip rows that another worker claims now.
WITH due AS MATERIALIZED (
  SELECT o.space, o.seq, -o.seq AS number, o.attempts, o.due_at FROM outbox AS o
  WHERE o.space = :space AND o.due_at <= :now
  ORDER BY o.due_at, o.seq LIMIT :limit FOR UPDATE SKIP LOCKED)
SELECT o.seq, o.attempts, COALESCE({{embedded_text}}, d.text)
FROM due AS o
LEFT JOIN passages AS p ON p.space = :space AND p.seq = o.seq
{{passage_sources}}
LEFT JOIN decisions AS d ON d.space = :space AND d.number = o.number
WHERE p.seq IS NOT NULL OR d.id IS NOT NULL
ORDER BY o.due_at, o.seq;
