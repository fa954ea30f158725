-- fragment: session_columns
e.id, s.scope_user, s.scope_agent, s.scope_project, s.scope_session, e.channel, e.external,
e.changed_at

-- name: find_session
SELECT {{session_columns}}
FROM scopes AS s JOIN sessions AS e
  ON e.space = :space AND e.scope = s.id AND e.channel = :channel
WHERE {{visible}};

-- name: list_sessions
-- Newest first.
SELECT {{session_columns}}
FROM scopes AS s JOIN sessions AS e ON e.space = :space AND e.scope = s.id
WHERE {{visible}} AND e.id < :before
ORDER BY e.id DESC LIMIT :limit;

-- name: add_session
INSERT INTO sessions (space, id, scope, channel, external, changed_at)
VALUES (:space, :id, :scope, :channel, :external, :changed_at);

-- name: change_session
UPDATE sessions SET external = :external, changed_at = :changed_at
WHERE space = :space AND id = :id;

-- name: remove_session
DELETE FROM sessions WHERE space = :space AND id = :id;

-- name: stored_sessions
SELECT id, changed_at, NULL, channel, external
FROM sessions WHERE space = :space AND scope = :scope ORDER BY id;
