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

-- name: newest_in_outbox
-- The short visible passages that wait, newest first, of the newest 500. OFFSET makes the planner look
-- up each of them, instead of reading all passages of the space.
WITH waiting AS MATERIALIZED (
  SELECT o.seq FROM outbox AS o WHERE o.space = :space AND o.seq > 0
  ORDER BY o.seq DESC LIMIT 500)
SELECT p.seq, p.partition, {{embedded_text}}
FROM waiting AS w
CROSS JOIN LATERAL (
  SELECT * FROM passages AS n WHERE n.space = :space AND n.seq = w.seq OFFSET 0) AS p
{{passage_sources}}
WHERE p.length <= :longest AND EXISTS (
  SELECT 1 FROM partitions AS h JOIN scopes AS s ON s.space = :space AND s.id = h.scope
  WHERE h.space = :space AND h.id = p.partition AND {{visible}})
ORDER BY p.seq DESC LIMIT :limit;
