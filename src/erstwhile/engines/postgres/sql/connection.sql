-- name: has_migrations
SELECT 1 FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
  WHERE n.nspname = 'erstwhile' AND c.relname = 'migrations';

-- name: make_migrations
CREATE TABLE IF NOT EXISTS migrations (
  number BIGINT PRIMARY KEY, name TEXT NOT NULL, hash TEXT NOT NULL, applied_at BIGINT NOT NULL);

-- name: home_of_vectors
-- The schema of the extension, if it is new enough and the index is missing.
SELECT quote_ident(n.nspname) FROM pg_extension AS e
  JOIN pg_namespace AS n ON n.oid = e.extnamespace
  WHERE e.extname = 'vector' AND string_to_array(e.extversion, '.')::int[] >= ARRAY[0, 8]
    AND NOT EXISTS (
      SELECT 1 FROM pg_class AS c JOIN pg_namespace AS s ON s.oid = c.relnamespace
      WHERE s.nspname = 'erstwhile' AND c.relname = 'vector_index');
