-- name: list_embedders
SELECT id, model, dimensions, serving, usual, spread FROM embedders WHERE space = :space ORDER BY id;

-- name: add_embedder
INSERT INTO embedders (space, id, model, dimensions, serving, usual, spread)
SELECT :space, COALESCE(MAX(id), 0) + 1, :model, :dimensions, :serving, :usual, :spread
FROM embedders WHERE space = :space;

-- name: serve
-- Let this model serve with this scale, and no other.
UPDATE embedders SET serving = CASE WHEN id = :id THEN 1 ELSE 0 END,
  usual = CASE WHEN id = :id THEN :usual ELSE usual END,
  spread = CASE WHEN id = :id THEN :spread ELSE spread END
WHERE space = :space;

-- name: put_vector
-- Store a vector, unless its passage or decision was erased meanwhile.
INSERT INTO vectors (space, embedder, seq, partition, rev, vector)
SELECT :space, :embedder, :seq, e.partition, COALESCE((
  SELECT MAX(v.rev) FROM vectors AS v
  WHERE v.space = :space AND v.embedder = :embedder AND v.partition = e.partition), 0) + 1,
  :vector
FROM (
  SELECT p.partition FROM passages AS p WHERE p.space = :space AND p.seq = :seq
  UNION ALL
  SELECT d.scope * 4 + 3 FROM decisions AS d WHERE d.space = :space AND d.number = -:seq) AS e
WHERE e.partition <> 0
ON CONFLICT (space, embedder, seq) DO UPDATE SET rev = excluded.rev, vector = excluded.vector;

-- name: blank_vectors
-- The row stays, so that every process sees that the vector is gone.
UPDATE vectors SET vector = NULL, rev = (
  SELECT MAX(v.rev) + 1 FROM vectors AS v
  WHERE v.space = :space AND v.embedder = vectors.embedder AND v.partition = vectors.partition)
WHERE space = :space AND seq = :seq;

-- name: vectors_since
SELECT seq, rev, vector FROM vectors
WHERE space = :space AND embedder = :embedder AND partition = :partition AND rev > :rev
ORDER BY rev LIMIT :limit;

-- name: count_vectors
SELECT COUNT(*) FROM vectors WHERE space = :space AND embedder = :embedder AND vector IS NOT NULL;

-- name: texts_without_vector
-- Decisions and passages without a vector of a model, after a number.
SELECT e.seq, 0, e.text FROM (
  SELECT * FROM (
    SELECT -d.number AS seq, d.text AS text FROM decisions AS d
    WHERE d.space = :space AND d.number < -CAST(:after AS BIGINT) AND NOT EXISTS (
      SELECT 1 FROM vectors AS v
      WHERE v.space = :space AND v.embedder = :embedder AND v.seq = -d.number)
    ORDER BY d.number DESC LIMIT :limit) AS downwards
  UNION ALL
  SELECT * FROM (
    SELECT p.seq, {{embedded_text}} AS text FROM passages AS p
    {{passage_sources}}
    WHERE p.space = :space AND p.seq > :after AND p.embedded = 1 AND NOT EXISTS (
      SELECT 1 FROM vectors AS v
      WHERE v.space = :space AND v.embedder = :embedder AND v.seq = p.seq)
    ORDER BY p.seq LIMIT :limit) AS upwards) AS e
ORDER BY e.seq LIMIT :limit;

-- name: count_texts
SELECT (SELECT COUNT(*) FROM passages WHERE space = :space AND embedded = 1)
  + (SELECT COUNT(*) FROM decisions WHERE space = :space);

-- name: drop_vectors
-- Delete the vectors of models that do not serve.
DELETE FROM vectors WHERE space = :space AND embedder IN (
  SELECT id FROM embedders WHERE space = :space AND serving = 0);

-- name: drop_embedders
DELETE FROM embedders WHERE space = :space AND serving = 0;
