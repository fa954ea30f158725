-- name: characters_learned
-- How much of each kind was learned and is live, in exactly one scope.
SELECT f.kind, SUM(LENGTH(f.text)) FROM scopes AS s
JOIN {{facts}} AS f ON f.space = s.space AND f.scope = s.id
WHERE {{visible}} AND {{state}} AND f.tier = 'inferred'
GROUP BY f.kind;
