-- name: add_terms
SELECT add_terms(:space, :seq, :terms);

-- name: remove_terms
WITH removed AS (
  DELETE FROM passage_terms WHERE space = :space AND seq = :seq RETURNING space, terms)
UPDATE term_counts AS c SET holding = c.holding - 1 FROM removed AS r
WHERE c.space = :space AND c.term = ANY (r.terms);

-- name: match_terms
-- Passages that contain the terms, best first.
SELECT seq FROM match_terms(:space, CAST(:terms AS jsonb), :limit) AS seq;

-- name: count_holding
-- The number of passages that contain each term.
WITH listed AS MATERIALIZED (
  SELECT each AS term, term_number(:space, each) AS number
  FROM jsonb_array_elements_text(CAST(:terms AS jsonb)) AS each)
SELECT l.term, c.holding FROM listed AS l
JOIN term_counts AS c ON c.space = :space AND c.term = l.number
WHERE c.holding > 0;

-- name: forget_terms
-- Delete the counts of terms that no passage contains any more.
DELETE FROM term_counts WHERE space = :space AND holding = 0;

-- name: index_against_rows
-- The number of passages, of those that are not indexed, and of index entries without a passage.
SELECT
  (SELECT COUNT(*) FROM passages AS p WHERE p.space = :space),
  (SELECT COUNT(*) FROM passages AS p WHERE p.space = :space AND NOT EXISTS (
     SELECT 1 FROM passage_terms AS t WHERE t.space = :space AND t.seq = p.seq)),
  (SELECT COUNT(*) FROM passage_terms AS t WHERE t.space = :space AND NOT EXISTS (
     SELECT 1 FROM passages AS p WHERE p.space = :space AND p.seq = t.seq));

-- name: unindexed_passages
SELECT p.seq FROM passages AS p WHERE p.space = :space AND NOT EXISTS (
  SELECT 1 FROM passage_terms AS t WHERE t.space = :space AND t.seq = p.seq);

-- name: surplus_terms
-- Entries of the index without a passage.
SELECT t.seq FROM passage_terms AS t WHERE t.space = :space AND NOT EXISTS (
  SELECT 1 FROM passages AS p WHERE p.space = :space AND p.seq = t.seq);
