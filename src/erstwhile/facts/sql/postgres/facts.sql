-- name: list_facts
-- Newest first; at most one page from each visible scope, by an index.
SELECT {{columns}} FROM scopes AS s CROSS JOIN LATERAL (
  SELECT f.* FROM {{candidates}}
  WHERE f.space = :space AND f.scope = s.id AND {{place}} < :before AND {{matching}}
  ORDER BY {{place}} DESC LIMIT :limit) AS f
WHERE {{visible}}
ORDER BY f.id DESC LIMIT :limit;
