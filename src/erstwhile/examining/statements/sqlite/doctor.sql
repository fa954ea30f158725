-- name: index_against_rows
-- The number of passages, of those that are not indexed, and of index entries without a passage.
SELECT
  (SELECT COUNT(*) FROM passages WHERE space = :space),
  (SELECT COUNT(*) FROM (
     SELECT seq FROM passages WHERE space = :space EXCEPT SELECT rowid FROM passage_terms)),
  (SELECT COUNT(*) FROM (
     SELECT rowid FROM passage_terms EXCEPT SELECT seq FROM passages WHERE space = :space));

-- name: server_time
-- A file has no clock of its own.
SELECT NULL;
