-- name: add_scope
INSERT INTO scopes (space, scope_user, scope_agent, scope_project, scope_session, head_hash,
  digest_key)
VALUES (:space, :user, :agent, :project, :session, :head_hash, :digest_key)
ON CONFLICT DO NOTHING;
