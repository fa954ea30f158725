-- name: add_record_terms
INSERT INTO record_terms (rowid, terms) VALUES (:seq, :terms);

-- name: remove_record_terms
DELETE FROM record_terms WHERE rowid = :seq;

-- name: count_record_terms
-- In how many records each term stands.
SELECT j.value, c.doc FROM json_each(:terms) AS j
JOIN record_terms_counts AS c ON c.term = j.value;

-- name: forget_record_terms
-- Deleted terms lie in the index until its segments are merged.
INSERT INTO record_terms (record_terms) VALUES ('optimize');
