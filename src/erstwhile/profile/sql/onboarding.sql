-- name: reached_stages
SELECT o.stage FROM scopes AS s
JOIN onboarding AS o ON o.space = :space AND o.scope = s.id
WHERE {{visible}};

-- name: count_own_facts
SELECT COUNT(*) FROM scopes AS s
JOIN {{facts}} AS f ON f.space = :space AND f.scope = s.id
WHERE {{visible}} AND {{state}} AND (f.key IS NULL OR {{is_value}});

-- name: count_own_tasks
-- All tasks of the scope, whatever their status.
SELECT COUNT(*) FROM scopes AS s
JOIN tasks AS t ON t.space = :space AND t.scope = s.id
WHERE {{visible}};

-- name: add_stage
INSERT INTO onboarding (space, id, scope, stage, reached_at)
VALUES (:space, :id, :scope, :stage, :reached_at);

-- name: stored_stages
SELECT id, reached_at, NULL, stage FROM onboarding
WHERE space = :space AND scope = :scope ORDER BY id;
