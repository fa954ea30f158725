-- Functions of a distributed database. `erstwhile distribute` runs this file, each time anew. Citus sends a call
-- to the server that holds the space. There they name the shards themselves, so that PostgreSQL plans them alone:
-- Citus would plan the same statement on two servers, for each call. Row-level security holds for shards, too.

-- Run a statement that reads several shards, and keep its plan for the session, under a name that tells its text.
-- `shard` is the caller's shard of `commits`. If Citus has split it, the old shards are still there for a while.
CREATE OR REPLACE FUNCTION read_here(
  given_space text, shard bigint, known text, statement text, given text[])
RETURNS SETOF record SET search_path = erstwhile, pg_temp LANGUAGE plpgsql AS $$
BEGIN
  IF shard <> get_shard_id_for_distribution_column('commits', given_space) THEN
    RAISE EXCEPTION 'the space has other shards now' USING ERRCODE = 'ER001';
  END IF;
  IF NOT EXISTS (SELECT 1 FROM pg_prepared_statements AS p WHERE p.name = known) THEN
    EXECUTE format('PREPARE %I %s', known, statement);
  END IF;
  RETURN QUERY EXECUTE format('EXECUTE %I (%s)', known, (
    SELECT string_agg(quote_nullable(each), ', ' ORDER BY place)
    FROM unnest(given) WITH ORDINALITY AS listed (each, place)));
END $$;

-- Store the terms of a passage, and count them. No shard can move meanwhile: the number of the change, which was
-- written first, holds its place.
CREATE OR REPLACE FUNCTION add_terms(given_space text, given_seq bigint, given text) RETURNS void
SET search_path = erstwhile, pg_temp LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format(
    'WITH added AS (
      INSERT INTO passage_terms_%s (space, seq, terms) VALUES ($1, $2, term_numbers($1, $3))
      RETURNING space, terms)
    INSERT INTO term_counts_%s AS c (space, term, holding)
    SELECT a.space, unnest(a.terms), 1 FROM added AS a
    ON CONFLICT (space, term) DO UPDATE SET holding = c.holding + 1',
    get_shard_id_for_distribution_column('passage_terms', given_space),
    get_shard_id_for_distribution_column('term_counts', given_space))
  USING given_space, given_seq, given;
END $$;
