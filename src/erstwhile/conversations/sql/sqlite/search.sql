-- Full-text search among records. Lists are JSON; CROSS JOIN keeps SQLite from reading every record
-- first.

-- fragment: holding_any
-- The numbers of the best records that contain any of the terms.
(SELECT record_terms.rowid AS seq FROM record_terms
 WHERE record_terms MATCH (
   SELECT group_concat('"' || replace(j.value, '"', '""') || '"', ' OR ')
   FROM json_each(:terms) AS j)
 ORDER BY bm25(record_terms) LIMIT :limit)

-- name: match_messages
-- A copy in a branch counts only if the branch itself is searched, or its original cannot be found.
SELECT m.id, t.terms
FROM {{holding_any}} AS r
CROSS JOIN record_texts AS t ON t.seq = r.seq AND t.space = :space
CROSS JOIN messages AS m ON m.space = t.space AND m.id = t.record
CROSS JOIN conversations AS c ON c.space = m.space AND c.id = m.conversation
CROSS JOIN scopes AS s ON s.space = m.space AND s.id = m.scope
WHERE {{visible}} AND c.deleted_at IS NULL
  AND m.said_at >= :since AND m.said_at < :until
  AND (:roles = '' OR :roles LIKE '%,' || m.role || ',%')
  AND (CAST(:channel AS TEXT) IS NULL OR c.channel = :channel)
  AND (CAST(:conversation AS TEXT) IS NULL OR m.conversation = :conversation)
  AND (CAST(:exclude AS TEXT) IS NULL OR m.conversation <> :exclude)
  AND (m.origin = m.id OR m.conversation = :conversation OR NOT EXISTS (
    SELECT 1 FROM messages AS o
    JOIN conversations AS oc ON oc.space = o.space AND oc.id = o.conversation
    WHERE o.space = m.space AND o.id = m.origin AND o.undone_at IS NULL AND oc.deleted_at IS NULL));

-- name: messages_in_full
SELECT {{message_columns}}
FROM json_each(:ids) AS j
CROSS JOIN messages AS m ON m.space = :space AND m.id = j.value
CROSS JOIN scopes AS s ON s.space = m.space AND s.id = m.scope;
