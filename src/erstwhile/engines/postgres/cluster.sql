-- Functions of a distributed database. `erstwhile distribute` runs this file, each time anew. Citus sends a call
-- to the server that holds the space. There they name the shards themselves, so that PostgreSQL plans them alone:
-- Citus would plan the same statement on two servers, for each call. Row-level security holds for shards, too.

-- Run a statement that reads several shards, prepared for the session under a name that tells its text. `shard` is
-- the caller's shard of `commits`. If Citus has split it, the old shards are still there for a while.
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

-- Run statements that change shards, each with its list of values. No shard moves meanwhile: Citus wrote the number
-- of the change before, and holds its shard and those beside it until the transaction ends.
CREATE OR REPLACE FUNCTION change_here(
  given_space text, shard bigint, known text[], statements text[], given jsonb)
RETURNS void SET search_path = erstwhile, pg_temp LANGUAGE plpgsql AS $$
DECLARE
  missing record;
BEGIN
  IF shard <> get_shard_id_for_distribution_column('commits', given_space) THEN
    RAISE EXCEPTION 'the space has other shards now' USING ERRCODE = 'ER001';
  END IF;
  FOR missing IN
    SELECT DISTINCT u.name, u.statement FROM unnest(known, statements) AS u (name, statement)
    WHERE NOT EXISTS (SELECT 1 FROM pg_prepared_statements AS p WHERE p.name = u.name)
  LOOP
    EXECUTE format('PREPARE %I %s', missing.name, missing.statement);
  END LOOP;
  FOR place IN 1 .. cardinality(known) LOOP
    EXECUTE format('EXECUTE %I (%s)', known[place], (
      SELECT string_agg(quote_nullable(each), ', ' ORDER BY number)
      FROM jsonb_array_elements_text(given -> place - 1) WITH ORDINALITY AS listed (each, number)));
  END LOOP;
END $$;

-- Return the next numbers of the audit trail and of the passages. The counters belong to the owner.
CREATE OR REPLACE FUNCTION next_numbers(many bigint) RETURNS TABLE (entry bigint, passage bigint)
SECURITY DEFINER SET search_path = erstwhile, pg_temp LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY SELECT nextval('audit_number_seq'), nextval('passages_seq_seq')
    FROM generate_series(1, least(many, 1000));
END $$;

-- Store the terms of a passage, and count them. No shard moves meanwhile, as above.
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
