-- name: add_scope
INSERT INTO scopes (space, scope_user, scope_agent, scope_project, scope_session, head_hash)
VALUES (:space, :user, :agent, :project, :session, :head_hash)
ON CONFLICT DO NOTHING;
