-- name: add_terms
INSERT INTO fact_terms (rowid, terms) VALUES (:seq, :terms);

-- name: remove_terms
DELETE FROM fact_terms WHERE rowid = :seq;

-- name: match_terms
-- Facts that hold the terms, best first.
SELECT rowid FROM fact_terms WHERE fact_terms MATCH :match
ORDER BY bm25(fact_terms) LIMIT :limit;

-- name: count_holding
-- In how many facts each term stands.
SELECT j.value, c.doc FROM json_each(:terms) AS j
JOIN fact_terms_counts AS c ON c.term = j.value;

-- name: forget_terms
-- Deleted terms lie in the index until its segments are merged.
INSERT INTO fact_terms (fact_terms) VALUES ('optimize');
