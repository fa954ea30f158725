-- fragment: message_columns
m.id, s.scope_user, s.scope_agent, s.scope_project, s.scope_session, m.conversation, m.position,
m.role, m.content, m.said_at, m.metadata, m.key, NULLIF(m.origin, m.id), m.undone_at

-- fragment: next_message
(SELECT COALESCE(MAX(b.position), 0) + 1 FROM messages AS b
WHERE b.space = :space AND b.conversation = :conversation)

-- name: add_message
-- Store the message at the given position (a copy keeps its position), else at the next free one.
INSERT INTO messages (
  space, id, scope, conversation, position, role, content, said_at, metadata, key, origin,
  undone_at, changed_at)
VALUES (
  :space, :id, :scope, :conversation,
  COALESCE(CAST(:position AS BIGINT), {{next_message}}),
  :role, :content, :said_at, :metadata, :key, :origin, :undone_at, :changed_at)
RETURNING position;

-- name: find_messages
SELECT {{message_columns}}
FROM messages AS m
JOIN conversations AS c ON c.space = :space AND c.id = m.conversation
JOIN scopes AS s ON s.space = :space AND s.id = m.scope
WHERE {{visible}} AND m.space = :space AND m.id >= :lowest AND m.id <= :highest
  AND c.deleted_at IS NULL
ORDER BY m.id LIMIT 10;

-- name: find_message_by_key
SELECT {{message_columns}}
FROM messages AS m JOIN scopes AS s ON s.space = :space AND s.id = m.scope
WHERE m.space = :space AND m.scope = :scope AND m.key = :key AND m.role = :role;

-- name: last_messages
-- Messages of a conversation that were not undone, last first.
SELECT {{message_columns}}
FROM messages AS m JOIN scopes AS s ON s.space = :space AND s.id = m.scope
WHERE m.space = :space AND m.conversation = :conversation AND m.undone_at IS NULL
  AND m.position > :after AND m.position < :before
ORDER BY m.position DESC LIMIT :limit;

-- name: said_messages
-- Messages of a conversation, undone or not, last first.
SELECT {{message_columns}}
FROM messages AS m JOIN scopes AS s ON s.space = :space AND s.id = m.scope
WHERE m.space = :space AND m.conversation = :conversation
ORDER BY m.position DESC LIMIT :limit;

-- name: count_messages_after
SELECT COUNT(*) FROM messages AS m
WHERE m.space = :space AND m.conversation = :conversation AND m.undone_at IS NULL
  AND m.position > :after;

-- name: tally_messages
SELECT m.role, COUNT(*)
FROM scopes AS s
JOIN conversations AS c ON c.space = :space AND c.scope = s.id AND c.deleted_at IS NULL
JOIN messages AS m ON m.space = :space AND m.conversation = c.id AND m.undone_at IS NULL
WHERE {{visible}}
GROUP BY m.role ORDER BY m.role;

-- name: tool_spoke
-- One row if a tool spoke between two positions, also in a message that was undone.
SELECT 1 FROM messages AS m
WHERE m.space = :space AND m.conversation = :conversation AND m.role = 'tool'
  AND m.position >= :first AND m.position <= :last
LIMIT 1;

-- name: undo_message
UPDATE messages SET undone_at = :undone_at, changed_at = :undone_at
WHERE space = :space AND id = :id;

-- name: stored_messages
SELECT id, changed_at, NULL, conversation, position, role, content, said_at, metadata, key,
       origin, undone_at
FROM messages WHERE space = :space AND scope = :scope ORDER BY id;

-- name: messages_to_erase
-- All messages of a conversation, undone or not, and their copies in its branches.
SELECT {{message_columns}}
FROM messages AS m JOIN scopes AS s ON s.space = :space AND s.id = m.scope
WHERE m.space = :space AND m.conversation = :conversation
UNION ALL
SELECT {{message_columns}}
FROM messages AS o
JOIN messages AS m ON m.space = :space AND m.origin = o.id AND m.conversation <> o.conversation
JOIN scopes AS s ON s.space = :space AND s.id = m.scope
WHERE o.space = :space AND o.conversation = :conversation;

-- name: find_copies
SELECT {{message_columns}}
FROM messages AS m JOIN scopes AS s ON s.space = :space AND s.id = m.scope
WHERE m.space = :space AND m.origin = :id AND m.id <> :id;

-- name: overwrite_message
UPDATE messages SET content = :blank, metadata = '', key = NULL WHERE space = :space AND id = :id;

-- name: remove_message
DELETE FROM messages WHERE space = :space AND id = :id;

-- name: add_compaction
INSERT INTO compactions (
  space, id, scope, conversation, first, last, summary, created_at, undone_at, changed_at)
VALUES (
  :space, :id, :scope, :conversation, :first, :last, :summary, :created_at, NULL, :changed_at);

-- name: list_compactions
SELECT p.id, s.scope_user, s.scope_agent, s.scope_project, s.scope_session, p.conversation,
       p.first, p.last, p.summary, p.created_at,
       CASE WHEN EXISTS (
         SELECT 1 FROM messages AS m
         WHERE m.space = :space AND m.conversation = p.conversation AND m.role = 'tool'
           AND m.position >= p.first AND m.position <= p.last) THEN 1 ELSE 0 END
FROM compactions AS p JOIN scopes AS s ON s.space = :space AND s.id = p.scope
WHERE p.space = :space AND p.conversation = :conversation AND p.undone_at IS NULL
ORDER BY p.last;

-- name: undo_compaction
UPDATE compactions SET undone_at = :undone_at, changed_at = :undone_at
WHERE space = :space AND id = :id;

-- name: stored_compactions
SELECT id, changed_at, NULL, conversation, first, last, summary, created_at, undone_at
FROM compactions WHERE space = :space AND scope = :scope ORDER BY id;

-- fragment: covering.at
p.first <= :position AND p.last >= :position

-- fragment: covering.all
1 = 1

-- name: compactions_to_erase
-- The summaries of a conversation, undone or not: those that cover a position, or all.
SELECT p.id, p.summary FROM compactions AS p
WHERE p.space = :space AND p.conversation = :conversation AND {{covering}};

-- name: overwrite_compaction
UPDATE compactions SET summary = :blank WHERE space = :space AND id = :id;

-- name: remove_compaction
DELETE FROM compactions WHERE space = :space AND id = :id;
