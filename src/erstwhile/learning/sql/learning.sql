-- fragment: learning_columns
l.conversation, s.scope_user, s.scope_agent, s.scope_project, s.scope_session, l.learned, l.wanted,
l.tries, l.try_at, l.holder, l.leased_until, l.with_model

-- name: want_learning
-- Request learning up to this position. A smaller position than the stored one changes nothing.
INSERT INTO learning (
  space, conversation, scope, learned, wanted, tries, try_at, holder, token, leased_until,
  with_model)
VALUES (:space, :conversation, :scope, 0, :through, 0, 0, NULL, NULL, 0, :with_model)
ON CONFLICT (space, conversation) DO UPDATE
SET wanted = excluded.wanted, with_model = excluded.with_model
WHERE learning.wanted < excluded.wanted;

-- name: unwanted_messages
-- The conversations with messages for which learning was not requested, and their last positions.
SELECT c.id, s.scope_user, s.scope_agent, s.scope_project, s.scope_session, m.position
FROM scopes AS s
JOIN conversations AS c ON c.space = :space AND c.scope = s.id AND c.deleted_at IS NULL
JOIN messages AS m ON m.space = :space AND m.conversation = c.id AND m.position = (
  SELECT MAX(p.position) FROM messages AS p
  WHERE p.space = :space AND p.conversation = c.id AND p.undone_at IS NULL)
LEFT JOIN learning AS l ON l.space = :space AND l.conversation = c.id
WHERE {{visible}} AND (l.wanted IS NULL OR l.wanted < m.position)
  AND (CAST(:conversation AS TEXT) IS NULL OR c.id = :conversation)
ORDER BY c.id;

-- name: list_waiting
-- Oldest conversation first.
SELECT {{learning_columns}} FROM scopes AS s
JOIN learning AS l ON l.space = :space AND l.scope = s.id AND l.learned < l.wanted
JOIN conversations AS c ON c.space = :space AND c.id = l.conversation AND c.deleted_at IS NULL
WHERE {{visible}} AND l.try_at <= :due_by AND l.leased_until <= :due_by
ORDER BY l.conversation;

-- name: find_waiting
SELECT {{learning_columns}} FROM learning AS l
JOIN scopes AS s ON s.space = :space AND s.id = l.scope
JOIN conversations AS c ON c.space = :space AND c.id = l.conversation AND c.deleted_at IS NULL
WHERE {{visible}} AND l.space = :space AND l.conversation = :conversation
  AND l.learned < l.wanted AND l.try_at <= :due_by AND l.leased_until <= :now;

-- name: lease_learning
-- Take the lease only if it is free, or with the token of the holder.
UPDATE learning SET holder = :holder, token = :token, leased_until = :until, tries = :tries
WHERE space = :space AND conversation = :conversation
  AND (leased_until <= :now OR token = :token);

-- name: move_learned
-- The cursor never goes back, and does not move in a deleted conversation.
UPDATE learning SET tries = 0, try_at = 0,
  learned = CASE WHEN learned < :through THEN :through ELSE learned END
WHERE space = :space AND conversation = :conversation AND token = :token AND EXISTS (
  SELECT 1 FROM conversations AS c
  WHERE c.space = :space AND c.id = :conversation AND c.deleted_at IS NULL);

-- name: put_learning_off
UPDATE learning SET tries = tries + :counted, try_at = :try_at, holder = NULL, token = NULL,
  leased_until = 0
WHERE space = :space AND conversation = :conversation AND token = :token;

-- name: remove_learning
DELETE FROM learning WHERE space = :space AND conversation = :conversation;

-- fragment: learned_before
-- A message and its copies in branches are learned from once.
EXISTS (
  SELECT 1 FROM messages AS o
  WHERE o.space = :space AND o.origin = m.origin AND o.learned_at IS NOT NULL)

-- name: messages_to_learn
-- The messages of one conversation, in order.
SELECT {{message_columns}}
FROM messages AS m JOIN scopes AS s ON s.space = :space AND s.id = m.scope
WHERE m.space = :space AND m.conversation = :conversation
  AND m.position > :after AND m.position <= :through
  AND m.undone_at IS NULL AND NOT {{learned_before}}
ORDER BY m.position LIMIT :limit;

-- name: mark_learned
-- Mark a message once, and only if it was not undone.
UPDATE messages AS m SET learned_at = :now
WHERE m.space = :space AND m.id = :id AND m.undone_at IS NULL AND NOT {{learned_before}};
