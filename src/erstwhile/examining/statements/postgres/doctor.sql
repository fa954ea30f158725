-- name: index_against_rows
-- The number of passages, of those that are not indexed, and of index entries without a passage.
SELECT
  (SELECT COUNT(*) FROM passages AS p WHERE p.space = :space),
  (SELECT COUNT(*) FROM passages AS p WHERE p.space = :space AND NOT EXISTS (
     SELECT 1 FROM passage_terms AS t WHERE t.space = :space AND t.seq = p.seq)),
  (SELECT COUNT(*) FROM passage_terms AS t WHERE t.space = :space AND NOT EXISTS (
     SELECT 1 FROM passages AS p WHERE p.space = :space AND p.seq = t.seq));

-- name: server_time
-- The time of the server, in microseconds.
SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS BIGINT);
