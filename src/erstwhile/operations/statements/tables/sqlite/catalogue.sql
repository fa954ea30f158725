-- name: describe
-- The columns of a table, each with its position in the primary key, or 0.
SELECT name, pk FROM pragma_table_info(:table) ORDER BY cid;
