-- The slots are filled for each table: `operations/tables.py`.

-- name: count_rows
SELECT COUNT(*) FROM {{table}} WHERE space = :space;

-- name: count_by_scope
-- The number of rows of each scope that has some.
SELECT {{scope}}, COUNT(*) FROM {{source}} WHERE t.space = :space GROUP BY {{scope}};

-- fragment: within.space
1 = 1

-- fragment: within.scope
{{scope}} = :scope

-- fragment: beyond.first
1 = 1

-- fragment: beyond.later
({{key}}) > ({{after}})

-- fragment: until.end
1 = 1

-- fragment: until.last
({{key}}) <= ({{last}})

-- name: rows
-- Rows in the order of the key, each followed by its key.
SELECT {{columns}}, {{key}} FROM {{source}}
WHERE t.space = :space AND {{within}} AND {{beyond}} AND {{until}}
ORDER BY {{key}} LIMIT :limit;

-- name: row_of_record
-- A record by its id, in whatever scope it is: the number of the scope, then the columns.
SELECT t.scope, {{columns}} FROM {{table}} AS t WHERE t.space = :space AND t.id = :id;

-- fragment: conflict.fail

-- fragment: conflict.skip
ON CONFLICT DO NOTHING

-- fragment: conflict.replace
ON CONFLICT ({{identity}}) DO {{changes}}

-- name: add
INSERT INTO {{table}} (space, {{stored}}) VALUES (:space, {{values}}) {{conflict}};

-- name: remove
DELETE FROM {{table}} AS t WHERE t.space = :space AND ({{key}}) = ({{after}});

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
SELECT v.partition / 4, COUNT(*) FROM vectors AS v
WHERE v.space = :space AND v.embedder = :embedder AND v.vector IS NOT NULL GROUP BY v.partition / 4;

-- name: vectors_of_scope
-- The vectors of the passages and decisions of a scope, each with its record and the place of the passage.
SELECT e.record, e.start, e.length, v.vector, e.record, e.place FROM (
  SELECT p.record AS record, p.start AS start, p.length AS length, p.number AS place, p.seq AS seq
  FROM passages AS p
  WHERE p.space = :space AND p.partition >= 4 * :scope AND p.partition < 4 * :scope + 4
    AND (p.record, p.number) > (:record, :place)
  UNION ALL
  SELECT d.id, NULL, NULL, 0, -d.number FROM decisions AS d
  WHERE d.space = :space AND d.scope = :scope AND (d.id, 0) > (:record, :place)) AS e
JOIN vectors AS v ON v.space = :space AND v.embedder = :embedder AND v.seq = e.seq
WHERE v.vector IS NOT NULL
ORDER BY e.record, e.place LIMIT :limit;
