-- fragment: has_metadata
NOT EXISTS (
  SELECT 1 FROM json_each(:metadata) AS w
  WHERE NOT EXISTS (
    SELECT 1 FROM json_each(f.metadata) AS stored
    WHERE stored.key = w.key AND stored.value IS NOT DISTINCT FROM w.value
      AND (stored.type = w.type OR stored.type IN ('integer', 'real') AND w.type IN ('integer', 'real'))))

-- name: passages_with_groups
-- The newest passages that contain all terms of one of the groups. The order of the tables is fixed,
-- because SQLite does not know that the list is short.
SELECT p.record, p.terms FROM (
  SELECT rowid AS seq FROM passage_terms WHERE passage_terms MATCH (
    SELECT group_concat('(' || (
      SELECT group_concat('"' || replace(t.value, '"', '""') || '"', ' AND ')
      FROM json_each(g.value) AS t) || ')', ' OR ')
    FROM json_each(:groups) AS g)
  ORDER BY rowid DESC LIMIT :limit) AS j
CROSS JOIN passages AS p ON p.space = :space AND p.seq = j.seq AND p.number = 0;
