-- name: add_embedder
WITH added AS (
  INSERT INTO embedders (space, model, dimensions, serving, usual, spread)
  VALUES (:space, :model, :dimensions, :serving, :usual, :spread)
  ON CONFLICT DO NOTHING RETURNING dimensions)
SELECT index_dimensions(dimensions) FROM added;

-- name: searches_vectors
-- Whether this database has vector search; the answer is equal for every space.
SELECT to_regclass('vector_index') IS NOT NULL WHERE CAST(:space AS TEXT) IS NOT NULL;

-- name: nearest_vectors
-- The stored vectors of these partitions that are nearest to a query, nearest first.
SELECT seq, vector FROM nearest(:space, :embedder, ARRAY(
  SELECT CAST(each AS BIGINT) FROM jsonb_array_elements_text(CAST(:partitions AS jsonb)) AS each
), :question, :limit, :visible);

-- name: put_vector
SELECT put_vector(:space, :embedder, :seq, :vector);

-- name: stored_vectors
{{listed}}
SELECT v.seq, v.vector FROM listed AS l
JOIN vectors AS v ON v.space = :space AND v.embedder = :embedder AND v.seq = l.seq
WHERE v.vector IS NOT NULL;
