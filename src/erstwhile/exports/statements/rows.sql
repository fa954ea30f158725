-- The slots are filled for each table: `exports/tables.py`.

-- name: count_by_scope
-- The number of rows of each scope that has some.
SELECT {{scope}}, COUNT(*) FROM {{source}} WHERE {{here}} GROUP BY {{scope}};

-- fragment: beyond.first
1 = 1

-- fragment: beyond.later
({{key}}) > ({{after}})

-- name: rows_of_scope
-- The rows of one scope in the order of the key, each followed by its key.
SELECT {{columns}}, {{key}} FROM {{source}}
WHERE {{here}} AND {{scope}} = :scope AND {{beyond}}
ORDER BY {{key}} LIMIT :limit;

-- name: selected_scopes
-- The scopes of an export. Wider scopes come before narrower ones.
SELECT s.id, s.scope_user, s.scope_agent, s.scope_project, s.scope_session, s.head_seq
FROM scopes AS s
WHERE s.space = :space AND {{selected}}
ORDER BY s.scope_user, s.scope_agent, s.scope_project, s.scope_session;

-- name: time_of_entry
SELECT at FROM audit WHERE space = :space AND scope = :scope AND seq = :seq;

-- name: serving_embedder
SELECT id, model, dimensions, usual, spread FROM embedders WHERE space = :space AND serving = 1;

-- name: count_vectors_by_scope
SELECT v.shelf / 4, COUNT(*) FROM vectors AS v
WHERE v.space = :space AND v.embedder = :embedder AND v.vector IS NOT NULL GROUP BY v.shelf / 4;

-- name: vectors_of_scope
-- The vectors of the passages and decisions of a scope, each with its record and the place of the passage.
SELECT e.record, e.start, e.length, v.vector, e.record, e.place FROM (
  SELECT p.record AS record, p.start AS start, p.length AS length, p.number AS place, p.seq AS seq
  FROM passages AS p
  WHERE p.space = :space AND p.shelf >= 4 * :scope AND p.shelf < 4 * :scope + 4
    AND (p.record, p.number) > (:record, :place)
  UNION ALL
  SELECT d.id, NULL, NULL, 0, -d.number FROM decisions AS d
  WHERE d.space = :space AND d.scope = :scope AND (d.id, 0) > (:record, :place)) AS e
JOIN vectors AS v ON v.space = :space AND v.embedder = :embedder AND v.seq = e.seq
WHERE v.vector IS NOT NULL
ORDER BY e.record, e.place LIMIT :limit;

-- name: add_row
INSERT INTO {{table}} (space, {{stored}}) VALUES (:space, {{values}});

-- name: add_if_new
-- Add a row, unless something is in its place.
INSERT INTO {{table}} (space, {{stored}}) VALUES (:space, {{values}}) ON CONFLICT DO NOTHING;
