-- name: match_observations
SELECT r.id, t.terms
FROM {{holding_any}} AS h
JOIN record_texts AS t ON t.seq = h.seq AND t.space = :space
JOIN observations AS r ON r.space = t.space AND r.id = t.record
JOIN scopes AS s ON s.space = r.space AND s.id = r.scope
WHERE {{visible}} AND r.deleted_at IS NULL AND {{observation_narrowed}};
