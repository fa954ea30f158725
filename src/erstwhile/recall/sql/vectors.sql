-- name: list_embedders
SELECT id, model, dimensions, serving, usual, spread FROM embedders WHERE space = :space ORDER BY id;

-- name: add_embedder
INSERT INTO embedders (space, id, model, dimensions, serving, usual, spread)
SELECT :space, COALESCE(MAX(id), 0) + 1, :model, :dimensions, :serving, :usual, :spread
FROM embedders WHERE space = :space;

-- name: serve
-- Let this model serve, and no other.
UPDATE embedders SET serving = CASE WHEN id = :id THEN 1 ELSE 0 END WHERE space = :space;

-- name: put_vector
-- Store a vector, unless its fact or decision was erased meanwhile.
INSERT INTO vectors (space, embedder, seq, scope, rev, vector)
SELECT :space, :embedder, :seq, e.scope, COALESCE((
  SELECT MAX(v.rev) FROM vectors AS v WHERE v.space = :space AND v.embedder = :embedder), 0) + 1,
  :vector
FROM (
  SELECT t.scope FROM fact_texts AS t WHERE t.space = :space AND t.seq = :seq
  UNION ALL
  SELECT -d.scope FROM decisions AS d WHERE d.space = :space AND d.number = -:seq) AS e
WHERE e.scope <> 0
ON CONFLICT (space, embedder, seq) DO UPDATE SET rev = excluded.rev, vector = excluded.vector;

-- name: blank_vectors
-- The row stays, so that every process sees that the vector is gone.
UPDATE vectors SET vector = NULL, rev = (
  SELECT MAX(v.rev) + 1 FROM vectors AS v
  WHERE v.space = vectors.space AND v.embedder = vectors.embedder)
WHERE space = :space AND seq = :seq;

-- name: vectors_since
SELECT seq, rev, vector FROM vectors
WHERE space = :space AND embedder = :embedder AND scope = :scope AND rev > :rev
ORDER BY rev LIMIT :limit;

-- name: count_vectors
SELECT COUNT(*) FROM vectors WHERE space = :space AND embedder = :embedder AND vector IS NOT NULL;

-- name: texts_without_vector
-- Decisions and facts without a vector of a model, after a number.
SELECT e.seq, e.scope, e.text FROM (
  SELECT * FROM (
    SELECT -d.number AS seq, -d.scope AS scope, d.text AS text FROM decisions AS d
    WHERE d.space = :space AND d.number < -CAST(:after AS BIGINT) AND NOT EXISTS (
      SELECT 1 FROM vectors AS v
      WHERE v.space = d.space AND v.embedder = :embedder AND v.seq = -d.number)
    ORDER BY d.number DESC LIMIT :limit) AS downwards
  UNION ALL
  SELECT * FROM (
    SELECT t.seq, t.scope, COALESCE(t.embeds, f.text) FROM fact_texts AS t
    JOIN facts AS f ON f.space = t.space AND f.id = t.fact
    WHERE t.space = :space AND t.seq > :after AND NOT EXISTS (
      SELECT 1 FROM vectors AS v
      WHERE v.space = t.space AND v.embedder = :embedder AND v.seq = t.seq)
    ORDER BY t.seq LIMIT :limit) AS upwards) AS e
ORDER BY e.seq LIMIT :limit;

-- name: count_texts
SELECT (SELECT COUNT(*) FROM fact_texts WHERE space = :space)
  + (SELECT COUNT(*) FROM decisions WHERE space = :space);

-- name: drop_vectors
-- Delete the vectors of models that do not serve.
DELETE FROM vectors WHERE space = :space AND embedder IN (
  SELECT id FROM embedders WHERE space = :space AND serving = 0);

-- name: drop_embedders
DELETE FROM embedders WHERE space = :space AND serving = 0;
