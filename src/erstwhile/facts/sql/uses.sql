-- fragment: used
-- Not EXISTS: PostgreSQL might read the uses of the whole space first.
COALESCE(
  (SELECT 1 FROM fact_uses AS u WHERE u.space = :space AND u.fact = f.id LIMIT 1),
  (SELECT 1 FROM feedback AS b WHERE b.space = :space AND b.fact = f.id LIMIT 1)) IS NOT NULL

-- name: note_use
INSERT INTO fact_uses (space, fact, scope, day, queries, earlier)
VALUES (:space, :fact, :scope, :day, :queries, :earlier)
ON CONFLICT (space, fact, scope) DO UPDATE SET
  day = excluded.day, queries = excluded.queries, earlier = excluded.earlier;

-- name: tally_uses
-- The number of facts by the last day on which a visible reader used them.
SELECT u.day, COUNT(DISTINCT u.fact) FROM fact_uses AS u
JOIN scopes AS s ON s.space = :space AND s.id = u.scope
WHERE {{visible}} AND u.space = :space AND u.day > 0
GROUP BY u.day ORDER BY u.day;

-- name: forget_old_uses
DELETE FROM fact_uses WHERE space = :space AND day < :oldest;

-- name: remove_uses
DELETE FROM fact_uses WHERE space = :space AND fact = :id;

-- name: find_feedback
SELECT b.id, b.useful, b.irrelevant FROM feedback AS b
WHERE b.space = :space AND b.fact = :fact AND b.scope = :scope;

-- name: add_feedback
INSERT INTO feedback (space, id, scope, fact, useful, irrelevant, changed_at)
VALUES (:space, :id, :scope, :fact, :useful, :irrelevant, :changed_at);

-- name: change_feedback
UPDATE feedback SET useful = :useful, irrelevant = :irrelevant, changed_at = :changed_at
WHERE space = :space AND id = :id;

-- name: feedback_on
-- The feedback of all scopes, for an erasure.
SELECT b.id, o.scope_user, o.scope_agent, o.scope_project, o.scope_session
FROM feedback AS b JOIN scopes AS o ON o.space = :space AND o.id = b.scope
WHERE b.space = :space AND b.fact = :fact ORDER BY b.id;

-- name: remove_feedback
DELETE FROM feedback WHERE space = :space AND fact = :id;

-- name: stored_feedback
SELECT id, changed_at, NULL, fact, useful, irrelevant
FROM feedback WHERE space = :space AND scope = :scope ORDER BY id;

-- name: remove_uses_within
-- The uses of any fact by readers in these scopes.
DELETE FROM fact_uses WHERE space = :space AND scope IN (
  SELECT s.id FROM scopes AS s WHERE {{within}});
