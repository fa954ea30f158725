-- fragment: term_index.facts
fact_terms

-- fragment: term_index.records
record_terms

-- name: add_terms
INSERT INTO {{term_index}} (rowid, terms) VALUES (:seq, :terms);

-- name: remove_terms
DELETE FROM {{term_index}} WHERE rowid = :seq;

-- name: match_terms
-- Facts that contain the terms, best first. Every term is quoted, so that no term is read as query
-- syntax.
SELECT rowid FROM fact_terms WHERE fact_terms MATCH (
  SELECT group_concat('"' || replace(key, '"', '""') || '"', ' OR ') FROM json_each(:terms))
ORDER BY bm25(fact_terms) LIMIT :limit;

-- name: count_holding
-- The number of facts, or other records, that contain each term.
SELECT j.value, c.doc FROM json_each(:terms) AS j
JOIN {{term_index}}_counts AS c ON c.term = j.value;

-- name: forget_terms
-- Merge the segments of the index: deleted terms stay in it until then.
INSERT INTO {{term_index}} ({{term_index}}) VALUES ('optimize');
