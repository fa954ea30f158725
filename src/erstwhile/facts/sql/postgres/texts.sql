-- name: next_in_outbox
-- Facts have positive numbers, decisions negative ones. Skip rows that another worker claims now.
WITH due AS MATERIALIZED (
  SELECT o.space, o.seq, -o.seq AS number, o.attempts, o.due_at FROM outbox AS o
  WHERE o.space = :space AND o.due_at <= :now
  ORDER BY o.due_at, o.seq LIMIT :limit FOR UPDATE SKIP LOCKED)
SELECT o.seq, COALESCE(t.scope, -d.scope), COALESCE(t.embeds, f.text, d.text), o.attempts
FROM due AS o
LEFT JOIN fact_texts AS t ON t.space = :space AND t.seq = o.seq
LEFT JOIN facts AS f ON f.space = :space AND f.id = t.fact
LEFT JOIN decisions AS d ON d.space = :space AND d.number = o.number
WHERE f.id IS NOT NULL OR d.id IS NOT NULL
ORDER BY o.due_at, o.seq;
