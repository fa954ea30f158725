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

-- Prepare the statements that are new to the session, and return the call of each with its list of values.
CREATE OR REPLACE FUNCTION calls_here(
  given_space text, shard bigint, known text[], statements text[], given jsonb)
RETURNS text[] SET search_path = erstwhile, pg_temp LANGUAGE plpgsql AS $$
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
  RETURN ARRAY(
    SELECT format('EXECUTE %I (%s)', u.name, (
      SELECT string_agg(quote_nullable(each), ', ' ORDER BY number)
      FROM jsonb_array_elements_text(given -> (u.place - 1)::int) WITH ORDINALITY AS listed (each, number)))
    FROM unnest(known) WITH ORDINALITY AS u (name, place) ORDER BY u.place);
END $$;

-- Run several statements that read shards. Their rows have different columns, so each is returned in the binary
-- form that PostgreSQL gives a row, with the place of its statement.
CREATE OR REPLACE FUNCTION read_all_here(
  given_space text, shard bigint, known text[], statements text[], given jsonb)
RETURNS TABLE (place bigint, answer bytea) SET search_path = erstwhile, pg_temp LANGUAGE plpgsql AS $$
DECLARE
  calls text[] := calls_here(given_space, shard, known, statements, given);
  answered record;
BEGIN
  FOR number IN 1 .. cardinality(calls) LOOP
    FOR answered IN EXECUTE calls[number] LOOP
      place := number;
      answer := record_send(answered);
      RETURN NEXT;
    END LOOP;
  END LOOP;
END $$;

-- Run statements that change shards. No shard moves meanwhile: Citus wrote the number of the change before, and
-- holds its shard and those beside it until the transaction ends.
CREATE OR REPLACE FUNCTION change_here(
  given_space text, shard bigint, known text[], statements text[], given jsonb)
RETURNS void SET search_path = erstwhile, pg_temp LANGUAGE plpgsql AS $$
DECLARE
  call text;
BEGIN
  FOREACH call IN ARRAY calls_here(given_space, shard, known, statements, given) LOOP
    EXECUTE call;
  END LOOP;
END $$;

-- Return the next numbers of the audit trail and of the passages. The counters belong to the owner.
CREATE OR REPLACE FUNCTION next_numbers(many bigint) RETURNS TABLE (entry bigint, passage bigint)
SECURITY DEFINER SET search_path = erstwhile, pg_temp LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY SELECT nextval('audit_number_seq'), nextval('passages_seq_seq')
    FROM generate_series(1, least(many, 1000));
END $$;

-- When the counters went on after the last crash. They are on the coordinator and the rows on other servers, so a
-- crash may set counters back behind rows that are stored. PostgreSQL empties an unlogged table after a crash, after
-- a restore, and on a standby that takes over: no row here means that the counters may be behind.
CREATE UNLOGGED TABLE IF NOT EXISTS counted_on (at TIMESTAMPTZ NOT NULL);

-- Leave a million numbers out if the counters may be behind: more than a server gives out before it stores them. A
-- tenant may call it, since all spaces share the counters: it gives no number, and a second call changes nothing.
CREATE OR REPLACE FUNCTION count_on() RETURNS void
SECURITY DEFINER SET search_path = erstwhile, pg_temp LANGUAGE plpgsql AS $$
BEGIN
  IF pg_is_in_recovery() THEN
    RAISE EXCEPTION 'a standby cannot count' USING ERRCODE = 'read_only_sql_transaction';
  END IF;
  IF EXISTS (SELECT 1 FROM counted_on) THEN
    RETURN;
  END IF;
  LOCK TABLE counted_on IN EXCLUSIVE MODE;
  IF EXISTS (SELECT 1 FROM counted_on) THEN
    RETURN;
  END IF;
  PERFORM set_config('synchronous_commit', 'on', true);  -- stored before anybody sees the row
  PERFORM setval(counter, nextval(counter) + 1000000) FROM (
    SELECT pg_get_serial_sequence(a.attrelid::regclass::text, a.attname)::regclass AS counter
    FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid
    WHERE c.relnamespace = 'erstwhile'::regnamespace AND c.relkind = 'r' AND a.attidentity <> ''
  ) AS counters;
  INSERT INTO counted_on VALUES (clock_timestamp());
END $$;

-- Refuse a change if the coordinator crashed since the caller connected, which a pooler conceals.
CREATE OR REPLACE FUNCTION check_counters() RETURNS void
SECURITY DEFINER SET search_path = erstwhile, pg_temp LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM counted_on) THEN
    RAISE EXCEPTION 'the counters may be behind' USING ERRCODE = 'ER002';
  END IF;
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

-- Return the passages that contain the given, weighted terms, as the function of the schema does.
CREATE OR REPLACE FUNCTION match_terms(given_space text, given jsonb, most bigint) RETURNS SETOF bigint
STABLE ROWS 100 SECURITY DEFINER SET search_path = erstwhile, pg_temp SET enable_seqscan = off
LANGUAGE plpgsql AS $$
DECLARE
  here text := current_setting('erstwhile.space', true);
  numbers bigint[];
  weights float8[];
BEGIN
  SELECT array_agg(term_number(here, key)), array_agg(value::float8) INTO numbers, weights
  FROM jsonb_each(given) WHERE given_space = here AND admitted(here);
  PERFORM set_config('erstwhile.matching', 'on', true);
  RETURN QUERY EXECUTE format(
    'SELECT t.seq FROM unnest($1, $2) AS w (number, weight)
    JOIN passage_terms_%s AS t ON t.terms @> ARRAY[w.number]
    WHERE t.space = $3
    GROUP BY t.seq
    ORDER BY sum(w.weight) DESC, min(cardinality(t.terms)), t.seq LIMIT $4',
    get_shard_id_for_distribution_column('passage_terms', here))
  USING numbers, weights, here, most;
  PERFORM set_config('erstwhile.matching', 'off', true);
END $$;
