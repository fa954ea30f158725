-- fragment: visible.scoped
s.space = :space
  AND s.scope_user IN ('', :user) AND s.scope_agent IN ('', :agent)
  AND s.scope_project IN ('', :project) AND s.scope_session IN ('', :session)

-- fragment: visible.everything
s.space = :space

-- fragment: visible.own
{{exactly}}

-- fragment: exactly
s.space = :space
  AND s.scope_user = :user AND s.scope_agent = :agent
  AND s.scope_project = :project AND s.scope_session = :session

-- name: find_scope
-- The row of exactly this scope, with the end of its audit chain.
SELECT id, head_seq, head_hash FROM scopes
WHERE space = :space AND scope_user = :user AND scope_agent = :agent
  AND scope_project = :project AND scope_session = :session;

-- name: add_scope
INSERT INTO scopes (space, id, scope_user, scope_agent, scope_project, scope_session, head_hash,
  digest_key)
SELECT :space, COALESCE(MAX(id), 0) + 1, :user, :agent, :project, :session, :head_hash,
  :digest_key
FROM scopes WHERE space = :space;

-- name: move_head
-- Store the new end of the audit chain of a scope.
UPDATE scopes SET head_seq = :head_seq, head_hash = :head_hash
WHERE space = :space AND id = :id;

-- name: visible_scopes
-- The visible scopes with their number of changes.
SELECT s.id, s.head_seq FROM scopes AS s WHERE {{visible}};

-- fragment: within.exactly
{{exactly}}

-- fragment: within.narrower
-- A scope and all narrower ones: an unset dimension is a wildcard here, and only here.
s.space = :space
  AND (:user = '' OR s.scope_user = :user) AND (:agent = '' OR s.scope_agent = :agent)
  AND (:project = '' OR s.scope_project = :project)
  AND (:session = '' OR s.scope_session = :session)

-- name: scopes_within
SELECT s.id, s.scope_user, s.scope_agent, s.scope_project, s.scope_session
FROM scopes AS s WHERE {{within}} ORDER BY s.id;
