-- name: describe
-- The columns of a table, each with its position in the primary key, or 0.
SELECT a.attname, COALESCE(array_position(i.indkey::int2[], a.attnum), -1) + 1
FROM pg_attribute AS a
LEFT JOIN pg_index AS i ON i.indrelid = a.attrelid AND i.indisprimary
WHERE a.attrelid = CAST(CAST(:table AS TEXT) AS regclass) AND a.attnum > 0 AND NOT a.attisdropped
ORDER BY a.attnum;

-- name: continue_numbers
-- Set the counters of the server after the copied rows. All spaces share these counters.
SELECT continue_numbers(:space);
