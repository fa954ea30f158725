-- fragment: identity_columns
i.id, s.scope_user, s.scope_agent, s.scope_project, s.scope_session, i.alias, i.person,
i.changed_at

-- name: find_links
-- The links of one name.
SELECT {{identity_columns}}
FROM scopes AS s JOIN identities AS i
  ON i.space = :space AND i.scope = s.id AND i.alias = :alias
WHERE {{visible}} ORDER BY i.id;

-- name: find_aliases
-- The names that are linked directly to a person.
SELECT i.alias FROM scopes AS s JOIN identities AS i
  ON i.space = :space AND i.scope = s.id AND i.person = :person
WHERE {{visible}} ORDER BY i.alias;

-- name: list_identities
-- Newest first.
SELECT {{identity_columns}}
FROM scopes AS s JOIN identities AS i ON i.space = :space AND i.scope = s.id
WHERE {{visible}} AND i.id < :before
ORDER BY i.id DESC LIMIT :limit;

-- name: add_identity
INSERT INTO identities (space, id, scope, alias, person, changed_at)
VALUES (:space, :id, :scope, :alias, :person, :changed_at);

-- name: remove_identity
DELETE FROM identities WHERE space = :space AND id = :id;

-- name: stored_identities
SELECT id, changed_at, NULL, alias, person
FROM identities WHERE space = :space AND scope = :scope ORDER BY id;

-- name: links_of_name
-- The links from and to a name.
SELECT {{identity_columns}}
FROM scopes AS s JOIN identities AS i ON i.space = :space AND i.scope = s.id
  AND (i.alias = :name OR i.person = :name)
WHERE {{within}} ORDER BY i.id;
