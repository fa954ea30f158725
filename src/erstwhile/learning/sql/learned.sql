-- name: characters_learned
-- The characters of live learned facts per kind, in exactly one scope.
SELECT f.kind, SUM(LENGTH(f.text)) FROM scopes AS s
JOIN {{facts}} AS f ON f.space = :space AND f.scope = s.id
WHERE {{visible}} AND {{state}} AND f.tier = 'inferred'
GROUP BY f.kind;

-- name: said_last
-- The time of a message, in its conversation or in a branch.
SELECT MAX(m.said_at) FROM messages AS m WHERE m.space = :space AND m.origin = :message;
