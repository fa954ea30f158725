-- name: last_change_at
-- The time of the newest change, and the server's. Entries of different scopes get their numbers in
-- any order.
SELECT MAX(at), CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS BIGINT)
FROM audit WHERE space = :space;

-- name: list_entries
-- Newest first; at most one page from each visible scope, by an index.
SELECT a.seq, a.at, s.scope_user, s.scope_agent, s.scope_project, s.scope_session,
       a.actor, a.action, a.subject, a.reason, a.hash
FROM scopes AS s CROSS JOIN LATERAL (
  SELECT a.* FROM audit AS a
  WHERE a.space = :space AND a.scope = s.id AND {{entries}}) AS a
WHERE {{visible}}
ORDER BY a.at DESC, a.seq DESC, a.hash DESC LIMIT :limit;

-- fragment: entries.all
{{wanted}} ORDER BY a.seq DESC LIMIT :limit
