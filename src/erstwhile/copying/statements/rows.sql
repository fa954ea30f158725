-- The slots are filled for each table from the column list of the engine.

-- name: count_rows
SELECT COUNT(*) FROM {{table}} WHERE space = :space;

-- fragment: beyond.first
1 = 1

-- fragment: beyond.later
({{key}}) > ({{after}})

-- fragment: within.end
1 = 1

-- fragment: within.last
({{key}}) <= ({{last}})

-- name: rows
-- The rows of one table, in the order of its key.
SELECT {{columns}} FROM {{table}}
WHERE space = :space AND {{beyond}} AND {{within}}
ORDER BY {{key}} LIMIT :limit;

-- name: put
INSERT INTO {{table}} (space, {{columns}}) VALUES (:space, {{values}})
ON CONFLICT ({{identity}}) DO {{otherwise}};

-- name: remove
DELETE FROM {{table}} WHERE space = :space AND ({{key}}) = ({{values_of_key}});
