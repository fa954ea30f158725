-- name: add_text
-- The terms of a new fact. Its position in the conversation follows the last one.
INSERT INTO fact_texts (space, fact, scope, open, conversation, position, terms, embeds)
VALUES (
  :space, :fact, :scope, :open, :conversation,
  CASE WHEN CAST(:conversation AS TEXT) IS NULL THEN NULL ELSE (
    SELECT COALESCE(MAX(t.position), 0) + 1 FROM fact_texts AS t
    WHERE t.space = :space AND t.scope = :scope AND t.conversation = :conversation) END,
  :terms, :embeds)
RETURNING seq;

-- name: find_text
SELECT seq, open, terms FROM fact_texts WHERE space = :space AND fact = :fact;

-- name: change_text
UPDATE fact_texts SET open = :open, terms = :terms WHERE space = :space AND seq = :seq;

-- name: remove_text
DELETE FROM fact_texts WHERE space = :space AND fact = :fact;

-- name: enqueue
-- Add a fact that waits for its vector.
INSERT INTO outbox (space, seq, attempts, due_at) VALUES (:space, :seq, 0, :due_at)
ON CONFLICT (space, seq) DO UPDATE SET attempts = 0, due_at = excluded.due_at, problem = NULL;

-- name: dequeue
DELETE FROM outbox WHERE space = :space AND seq = :seq;

-- name: postpone
-- Embedding failed: try again later.
UPDATE outbox SET attempts = attempts + 1, due_at = :due_at, problem = :problem
WHERE space = :space AND seq = :seq;

-- name: first_in_outbox
-- The jobs that have been due for the longest time.
SELECT o.seq FROM outbox AS o
WHERE o.space = :space AND o.due_at <= :now
ORDER BY o.due_at, o.seq LIMIT 1;

-- name: next_in_outbox
-- Facts have positive numbers, decisions negative ones.
SELECT o.seq, COALESCE(t.scope, -d.scope), COALESCE(t.embeds, f.text, d.text), o.attempts
FROM outbox AS o
LEFT JOIN fact_texts AS t ON t.space = o.space AND t.seq = o.seq
LEFT JOIN facts AS f ON f.space = t.space AND f.id = t.fact
LEFT JOIN decisions AS d ON d.space = o.space AND d.number = -o.seq
WHERE o.space = :space AND o.due_at <= :now AND (f.id IS NOT NULL OR d.id IS NOT NULL)
ORDER BY o.due_at, o.seq LIMIT :limit;

-- name: lease
-- Lease a job: no other worker takes it before the lease ends.
UPDATE outbox SET due_at = :due_at WHERE space = :space AND seq = :seq;

-- name: count_outbox
-- The number of visible facts and decisions that wait.
SELECT (
  SELECT COUNT(*) FROM scopes AS s
  JOIN fact_texts AS t ON t.space = s.space AND t.scope = s.id
  JOIN outbox AS o ON o.space = t.space AND o.seq = t.seq
  WHERE {{visible}}) + (
  SELECT COUNT(*) FROM scopes AS s
  JOIN decisions AS d ON d.space = s.space AND d.scope = s.id
  JOIN outbox AS o ON o.space = d.space AND o.seq = -d.number
  WHERE {{visible}});

-- name: visible_scopes
-- The visible scopes with their number of changes, which is close to their number of facts.
SELECT s.id, s.head_seq FROM scopes AS s WHERE {{visible}};
