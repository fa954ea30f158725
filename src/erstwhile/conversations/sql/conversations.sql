-- fragment: conversation_columns
c.id, s.scope_user, s.scope_agent, s.scope_project, s.scope_session, c.channel, c.started_at,
c.active_at, c.messages, c.summary, c.closed_at, c.parent, c.branched_at, c.metadata, c.deleted_at

-- fragment: conversation_status
CASE WHEN c.closed_at IS NOT NULL THEN 'closed' WHEN c.active_at < :active_since THEN 'idle'
ELSE 'active' END

-- fragment: conversation_kept.present
c.deleted_at IS NULL

-- fragment: conversation_kept.deleted
c.deleted_at IS NOT NULL

-- name: find_current_conversation
-- The conversation with the last message, if it is not idle.
SELECT {{conversation_columns}}
FROM scopes AS s
JOIN conversations AS c ON c.space = :space AND c.scope = s.id AND c.channel = :channel
  AND c.closed_at IS NULL AND c.deleted_at IS NULL AND c.active_at >= :active_since
WHERE {{visible}}
ORDER BY c.active_at DESC, c.id DESC LIMIT 1;

-- name: find_conversations
SELECT {{conversation_columns}}
FROM conversations AS c JOIN scopes AS s ON s.space = :space AND s.id = c.scope
WHERE {{visible}} AND c.space = :space AND c.id >= :lowest AND c.id <= :highest
  AND {{conversation_kept}}
ORDER BY c.id LIMIT 10;

-- name: list_conversations
-- Newest first; an empty status means all, `summarised` only conversations with a summary.
SELECT {{conversation_columns}}
FROM scopes AS s JOIN conversations AS c ON c.space = :space AND c.scope = s.id
WHERE {{visible}} AND {{conversation_kept}} AND c.id < :before
  AND (:status = '' OR {{conversation_status}} = :status)
  AND (CAST(:channel AS TEXT) IS NULL OR c.channel = :channel)
  AND (:summarised = 0 OR c.summary IS NOT NULL)
ORDER BY c.id DESC LIMIT :limit;

-- name: count_conversations
SELECT CASE WHEN c.deleted_at IS NOT NULL THEN 'deleted' ELSE {{conversation_status}} END, COUNT(*)
FROM scopes AS s JOIN conversations AS c ON c.space = :space AND c.scope = s.id
WHERE {{visible}}
GROUP BY 1;

-- name: add_conversation
INSERT INTO conversations (
  space, id, scope, channel, started_at, parent, branched_at, metadata, closed_at, summary,
  deleted_at, changed_at, active_at, messages)
VALUES (
  :space, :id, :scope, :channel, :started_at, :parent, :branched_at, :metadata, :closed_at,
  :summary, :deleted_at, :changed_at, :active_at, :messages);

-- name: change_conversation
UPDATE conversations SET closed_at = :closed_at, summary = :summary, deleted_at = :deleted_at,
  changed_at = :changed_at, active_at = :active_at
WHERE space = :space AND id = :id;

-- name: touch_conversation
-- Change the number of messages; `active_at` never goes back.
UPDATE conversations SET messages = messages + :added,
  active_at = CASE WHEN active_at < :active_at THEN :active_at ELSE active_at END
WHERE space = :space AND id = :id;

-- name: stored_conversations
SELECT id, changed_at, NULL, channel, started_at, parent, branched_at, metadata, closed_at,
       summary, deleted_at
FROM conversations WHERE space = :space AND scope = :scope ORDER BY id;

-- name: find_deleted_conversations
SELECT {{conversation_columns}}
FROM scopes AS s JOIN conversations AS c ON c.space = :space AND c.scope = s.id
WHERE {{visible}} AND c.deleted_at IS NOT NULL AND c.deleted_at <= :before
ORDER BY c.deleted_at LIMIT :limit;

-- name: overwrite_conversation
-- For erasure: a long text has its own pages, so it is overwritten before the row is deleted.
-- With `whole` = 0, only the summary is overwritten.
UPDATE conversations SET summary = :blank,
  metadata = CASE WHEN :whole = 1 THEN '' ELSE metadata END
WHERE space = :space AND id = :id;

-- name: remove_conversation
DELETE FROM conversations WHERE space = :space AND id = :id;

-- name: conversations_within
SELECT {{conversation_columns}}
FROM scopes AS s JOIN conversations AS c ON c.space = :space AND c.scope = s.id
WHERE {{within}} ORDER BY c.id LIMIT :limit;
