-- Vectors in the file of an import under way, where their passages are not built.

-- name: make_vector_table
CREATE TABLE staged_vectors (
  scope INTEGER NOT NULL, number INTEGER NOT NULL, record TEXT NOT NULL, start INTEGER, length INTEGER,
  vector BLOB NOT NULL, PRIMARY KEY (scope, number)) STRICT, WITHOUT ROWID;

-- name: stage_vector
INSERT INTO staged_vectors VALUES (:scope, :number, :record, :start, :length, :vector);

-- name: staged_vectors
SELECT record, start, length, vector, number FROM staged_vectors
WHERE scope = :scope AND number > :after ORDER BY number LIMIT :limit;
