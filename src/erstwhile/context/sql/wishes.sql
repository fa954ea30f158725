-- name: newest_wishes
-- The newest passages with standing wishes: messages of people, and facts that are true now. A wish
-- may go on behind the end of its passage.
SELECT p.kind, p.record, p.wishes, p.start,
  COALESCE(m.said_at, f.recorded_at), COALESCE(
    SUBSTR(m.content, CAST(p.start AS INTEGER) + 1, CAST(p.length + :longest AS INTEGER)),
    SUBSTR(f.text, CAST(p.start AS INTEGER) + 1, CAST(p.length + :longest AS INTEGER))),
  s.scope_user, s.scope_agent, s.scope_project, s.scope_session
FROM scopes AS s
JOIN shelves AS h ON h.space = :space AND h.scope = s.id
JOIN passages AS p ON p.space = :space AND p.shelf = h.id AND p.wishes IS NOT NULL AND p.open = 1
LEFT JOIN messages AS m ON m.space = :space AND m.id = p.record AND p.kind = 'messages'
LEFT JOIN conversations AS c ON c.space = :space AND c.id = m.conversation
LEFT JOIN facts AS f ON f.space = :space AND f.id = p.record AND p.kind = 'facts'
WHERE {{visible}} AND c.deleted_at IS NULL AND (f.id IS NULL OR {{holds}})
  AND (m.id IS NULL OR m.origin = m.id)
ORDER BY p.seq DESC LIMIT :limit;
