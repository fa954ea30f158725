-- fragment: has_metadata
CAST(f.metadata AS jsonb) @> CAST(:metadata AS jsonb)

-- name: list_facts
-- Newest first; at most one page from each visible scope, by an index.
SELECT {{listed_columns}} FROM scopes AS s CROSS JOIN LATERAL (
  SELECT f.* FROM {{candidates}}
  WHERE f.space = :space AND f.scope = s.id AND {{place}} < :before AND {{matching}}
  ORDER BY {{place}} DESC LIMIT :limit) AS f
WHERE {{visible}}
ORDER BY f.id DESC LIMIT :limit;

-- name: passages_with_groups
-- The passages that contain most of the terms of the groups.
SELECT p.record, p.terms FROM match_terms(:space, (
  SELECT jsonb_object_agg(t.term, 1) FROM jsonb_array_elements(CAST(:groups AS jsonb)) AS g (terms)
  CROSS JOIN jsonb_array_elements_text(g.terms) AS t (term)), :limit) AS j (seq)
JOIN passages AS p ON p.space = :space AND p.seq = j.seq AND p.number = 0;
