-- name: add_terms
INSERT INTO passage_terms (rowid, terms) VALUES (:seq, :terms);

-- name: remove_terms
DELETE FROM passage_terms WHERE rowid = :seq;

-- name: match_terms
-- Passages that contain the terms, best first. Every term is quoted, so that no term is read as query
-- syntax.
SELECT rowid FROM passage_terms WHERE passage_terms MATCH (
  SELECT group_concat('"' || replace(key, '"', '""') || '"', ' OR ') FROM json_each(:terms))
ORDER BY bm25(passage_terms) LIMIT :limit;

-- name: count_holding
-- The number of passages that contain each term.
SELECT j.value, c.doc FROM json_each(:terms) AS j
JOIN passage_terms_counts AS c ON c.term = j.value;

-- name: forget_terms
-- Merge the segments of the index: deleted terms stay in it until then.
INSERT INTO passage_terms (passage_terms) VALUES ('optimize');

-- name: index_against_rows
-- The number of passages, of those that are not indexed, and of index entries without a passage.
SELECT
  (SELECT COUNT(*) FROM passages WHERE space = :space),
  (SELECT COUNT(*) FROM (
     SELECT seq FROM passages WHERE space = :space EXCEPT SELECT rowid FROM passage_terms)),
  (SELECT COUNT(*) FROM (
     SELECT rowid FROM passage_terms EXCEPT SELECT seq FROM passages WHERE space = :space));

-- name: unindexed_passages
SELECT seq FROM passages
WHERE space = :space AND seq NOT IN (SELECT rowid FROM passage_terms);

-- name: surplus_terms
-- Entries of the index without a passage.
SELECT rowid FROM passage_terms
WHERE rowid NOT IN (SELECT seq FROM passages WHERE space = :space);
