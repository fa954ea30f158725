-- name: reached_stages
SELECT o.stage FROM scopes AS s
JOIN onboarding AS o ON o.space = :space AND o.scope = s.id
WHERE {{visible}};

-- name: count_own_facts
-- As many as a stage needs are counted.
SELECT COUNT(*) FROM (
  SELECT 1 FROM scopes AS s
  JOIN {{facts}} AS f ON f.space = :space AND f.scope = s.id
  WHERE {{visible}} AND {{state}} AND (f.key IS NULL OR {{is_value}}) LIMIT :most) AS own;

-- name: count_own_tasks
-- Tasks of the scope, whatever their status: as many as a stage needs.
SELECT COUNT(*) FROM (
  SELECT 1 FROM scopes AS s
  JOIN tasks AS t ON t.space = :space AND t.scope = s.id
  WHERE {{visible}} LIMIT :most) AS own;

-- name: add_stage
INSERT INTO onboarding (space, id, scope, stage, reached_at)
VALUES (:space, :id, :scope, :stage, :reached_at);

-- name: stored_stages
SELECT id, reached_at, NULL, stage FROM onboarding
WHERE space = :space AND scope = :scope ORDER BY id;
