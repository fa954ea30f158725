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
