-- Times are microseconds since 1970 in UTC; 253402300799999999 (the end of 9999) means "no end".
-- An unset scope dimension is the empty text: `IN ('', :user)` then fails closed.
-- Every key and every index begins with `space`, so that each table can be distributed by it. Texts are
-- compared byte by byte (COLLATE "C"), as SQLite does.

-- Create two roles that own nothing, if this login may create roles. Transactions use `erstwhile_app`, which
-- may enter every space. Logins of tenants are bound to one space each (see `bind`), with the rights of
-- `erstwhile_tenant`. Without these roles the owner works behind the same wall.
DO $$
DECLARE
  wanted text;
BEGIN
  FOREACH wanted IN ARRAY ARRAY['erstwhile_app', 'erstwhile_tenant'] LOOP
    IF to_regrole(wanted) IS NULL THEN
      BEGIN
        EXECUTE format('CREATE ROLE %I NOLOGIN', wanted);
      EXCEPTION
        WHEN insufficient_privilege OR duplicate_object OR unique_violation THEN NULL;
      END;
    END IF;
  END LOOP;
  BEGIN
    GRANT erstwhile_app TO CURRENT_USER;
  EXCEPTION
    WHEN undefined_object OR insufficient_privilege OR invalid_grant_operation THEN NULL;
  END;
END $$;

-- Return the name of the role whose members are bound to a space of this database. It is a digest, because
-- everybody who can log in can read the names of roles.
CREATE FUNCTION tenant_role(space text) RETURNS text STABLE STRICT PARALLEL SAFE LANGUAGE sql
RETURN 'erstwhile_' || left(encode(sha256(
  sha256(convert_to(current_database(), 'UTF8')) || convert_to(space, 'UTF8')), 'hex'), 48);

-- Put a table behind row-level security, and grant the rights of the roles. Without a space nobody sees
-- anything, not even the owner. The owner and `erstwhile_app` see the space that they name. A tenant sees it
-- only if it is bound to it. No other role sees anything.
-- `n_distinct = 1` makes the planner treat every space as large, also a space that is newer than the
-- statistics: if it took a space for empty, it would scan all of it for every joined row.
CREATE FUNCTION guard(guarded regclass) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  named constant text := 'space = current_setting(''erstwhile.space'', true)';
  bound constant text := 'pg_has_role(current_user, to_regrole('
    'erstwhile.tenant_role(current_setting(''erstwhile.space'', true))), ''USAGE'')';
BEGIN
  EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', guarded);
  EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', guarded);
  EXECUTE format('ALTER TABLE %s ALTER COLUMN space SET (n_distinct = 1)', guarded);
  EXECUTE format('DROP POLICY IF EXISTS own_space ON %s', guarded);
  EXECUTE format('CREATE POLICY own_space ON %s TO CURRENT_USER USING (%s)', guarded, named);
  IF to_regrole('erstwhile_app') IS NOT NULL THEN
    EXECUTE format('ALTER POLICY own_space ON %s TO CURRENT_USER, erstwhile_app', guarded);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %s TO erstwhile_app', guarded);
    IF current_setting('server_version_num')::int >= 170000 THEN
      EXECUTE format('GRANT MAINTAIN ON %s TO erstwhile_app', guarded);
    END IF;
  END IF;
  IF to_regrole('erstwhile_tenant') IS NOT NULL THEN
    EXECUTE format('DROP POLICY IF EXISTS bound_space ON %s', guarded);
    EXECUTE format('CREATE POLICY bound_space ON %s TO erstwhile_tenant USING (%s AND %s)',
                   guarded, named, bound);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %s TO erstwhile_tenant', guarded);
  END IF;
END $$;

-- The number of the newest change of each connection. After a commit without an answer it tells whether
-- the change is stored: the transaction itself wrote it, so this holds after a crash and on another server.
CREATE TABLE commits (
  space     TEXT COLLATE "C" NOT NULL,
  client    TEXT COLLATE "C" NOT NULL,  -- the connection
  number    BIGINT NOT NULL,
  stored_at BIGINT NOT NULL,            -- seconds since 1970
  PRIMARY KEY (space, client)
) WITH (fillfactor = 50);

-- The channel on which each space announces its changes. Its name is random and behind the wall, so that no
-- other tenant listens: everybody who can log in can listen to a channel whose name they know.
CREATE TABLE wake_channels (
  space TEXT COLLATE "C" NOT NULL,
  name  TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (space)
);

-- Fold a text: letter case, spacing and Unicode form make no difference. Servers before 18 use their
-- rules for lower case, which differ in a few rare letters. The body is a text: a parsed body would depend
-- on the collation, and Citus would wait for itself when it copies that to other servers.
DO $$
DECLARE
  lowered text := 'lower(%s)';
BEGIN
  IF current_setting('server_version_num')::int >= 180000 THEN
    lowered := 'lower(normalize(casefold((%s) COLLATE pg_unicode_fast), NFKC))';
  ELSE
    IF EXISTS (SELECT 1 FROM pg_collation WHERE collname = 'und-x-icu') THEN
      lowered := 'lower((%s) COLLATE "und-x-icu")';
    END IF;
    lowered := format('replace(replace(%s, ''ß'', ''ss''), ''ς'', ''σ'')', lowered);
  END IF;
  EXECUTE format($f$
    CREATE FUNCTION folded(said text) RETURNS text IMMUTABLE STRICT PARALLEL SAFE LANGUAGE sql AS $body$
    SELECT btrim(regexp_replace(
      CASE WHEN octet_length(said) = char_length(said) THEN lower(said COLLATE "C")
           ELSE normalize(%s, NFKC) COLLATE "C" END,
      E'[\t-\r\x1c-\x20\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+',
      ' ', 'g'))
    $body$ $f$, format(lowered, 'normalize(said, NFKC)'));
END $$;

CREATE TABLE scopes (
  space          TEXT COLLATE "C" NOT NULL,
  id             BIGINT GENERATED BY DEFAULT AS IDENTITY,
  scope_user     TEXT COLLATE "C" NOT NULL,
  scope_agent    TEXT COLLATE "C" NOT NULL,
  scope_project  TEXT COLLATE "C" NOT NULL,
  scope_session  TEXT COLLATE "C" NOT NULL,
  -- the end of this scope's audit chain
  head_seq       BIGINT NOT NULL DEFAULT 0,
  head_hash      BYTEA NOT NULL,
  digest_key     BYTEA NOT NULL,  -- for digests of inputs whose secrets are masked
  PRIMARY KEY (space, id),
  UNIQUE (space, scope_user, scope_agent, scope_project, scope_session)
);

CREATE TABLE facts (
  -- columns that never change
  space           TEXT COLLATE "C" NOT NULL,
  id              TEXT COLLATE "C" NOT NULL,
  scope           BIGINT NOT NULL,
  kind            TEXT COLLATE "C" NOT NULL,
  text            TEXT COLLATE "C" NOT NULL,
  key             TEXT COLLATE "C",
  value           TEXT COLLATE "C",
  fingerprint     BYTEA NOT NULL,
  origin          TEXT COLLATE "C" NOT NULL,
  source          TEXT COLLATE "C",
  recorded_at     BIGINT NOT NULL,
  -- columns that may change: each earlier state is kept in fact_versions
  known_from      BIGINT NOT NULL,
  trust           TEXT COLLATE "C" NOT NULL,
  confidence      DOUBLE PRECISION NOT NULL,
  tier            TEXT COLLATE "C" NOT NULL,
  evidence        BIGINT NOT NULL,
  valid_from      BIGINT NOT NULL,
  valid_to        BIGINT NOT NULL,
  expires_at      BIGINT NOT NULL,
  retired_at      BIGINT,
  ending TEXT COLLATE "C",
  supersedes      TEXT COLLATE "C" NOT NULL,
  superseded_by   TEXT COLLATE "C",
  pinned          BIGINT NOT NULL,
  entities        TEXT COLLATE "C" NOT NULL,
  relations       TEXT COLLATE "C" NOT NULL,
  tags            TEXT COLLATE "C" NOT NULL,
  metadata        TEXT COLLATE "C" NOT NULL,
  deleted_at      BIGINT,
  PRIMARY KEY (space, id),
  FOREIGN KEY (space, scope) REFERENCES scopes (space, id)
);

-- For all processes: at most one open fact with the same text, and one open value of a key.
CREATE UNIQUE INDEX facts_one_twin ON facts (space, scope, kind, fingerprint)
  WHERE retired_at IS NULL AND deleted_at IS NULL;
CREATE UNIQUE INDEX facts_one_value ON facts (space, scope, key)
  WHERE key IS NOT NULL AND retired_at IS NULL AND deleted_at IS NULL;
CREATE INDEX facts_by_key ON facts (space, scope, key) WHERE key IS NOT NULL;
CREATE INDEX facts_newest ON facts (space, scope, id);
CREATE INDEX facts_by_successor ON facts (space, superseded_by) WHERE superseded_by IS NOT NULL;
CREATE INDEX facts_deleted ON facts (space, scope, deleted_at) WHERE deleted_at IS NOT NULL;

CREATE TABLE fact_versions (
  space           TEXT COLLATE "C" NOT NULL,
  id              TEXT COLLATE "C" NOT NULL,
  known_from      BIGINT NOT NULL,
  known_to        BIGINT NOT NULL,
  kind            TEXT COLLATE "C" NOT NULL,
  trust           TEXT COLLATE "C" NOT NULL,
  confidence      DOUBLE PRECISION NOT NULL,
  tier            TEXT COLLATE "C" NOT NULL,
  evidence        BIGINT NOT NULL,
  valid_from      BIGINT NOT NULL,
  valid_to        BIGINT NOT NULL,
  expires_at      BIGINT NOT NULL,
  retired_at      BIGINT,
  ending TEXT COLLATE "C",
  supersedes      TEXT COLLATE "C" NOT NULL,
  superseded_by   TEXT COLLATE "C",
  pinned          BIGINT NOT NULL,
  entities        TEXT COLLATE "C" NOT NULL,
  relations       TEXT COLLATE "C" NOT NULL,
  tags            TEXT COLLATE "C" NOT NULL,
  metadata        TEXT COLLATE "C" NOT NULL,
  deleted_at      BIGINT,
  PRIMARY KEY (space, id, known_from),
  FOREIGN KEY (space, id) REFERENCES facts (space, id)
);

-- All states of each fact, with the period in which the store knew each state.
CREATE VIEW fact_states WITH (security_invoker = true) AS
SELECT space, id, scope, kind, text, key, value, origin, source, recorded_at,
       known_from, 253402300799999999 AS known_to,
       trust, confidence, tier, evidence, valid_from, valid_to, expires_at, retired_at,
       ending, supersedes, superseded_by, pinned, entities, relations, tags, metadata,
       deleted_at
FROM facts
UNION ALL
SELECT f.space, f.id, f.scope, v.kind, f.text, f.key, f.value, f.origin, f.source, f.recorded_at,
       v.known_from, v.known_to,
       v.trust, v.confidence, v.tier, v.evidence, v.valid_from, v.valid_to, v.expires_at,
       v.retired_at, v.ending, v.supersedes, v.superseded_by, v.pinned, v.entities,
       v.relations, v.tags, v.metadata, v.deleted_at
FROM fact_versions AS v
JOIN facts AS f ON f.space = v.space AND f.id = v.id;

-- An index of tags, derived from `facts.tags`.
CREATE TABLE fact_tags (
  space TEXT COLLATE "C" NOT NULL,
  scope BIGINT NOT NULL,
  tag   TEXT COLLATE "C" NOT NULL,
  fact  TEXT COLLATE "C" NOT NULL,
  since BIGINT NOT NULL,
  PRIMARY KEY (space, scope, tag, fact),
  FOREIGN KEY (space, fact) REFERENCES facts (space, id)
);
CREATE INDEX fact_tags_by_fact ON fact_tags (space, fact);

CREATE TABLE entities (
  space TEXT COLLATE "C" NOT NULL,
  id    TEXT COLLATE "C" NOT NULL,
  scope BIGINT NOT NULL,
  name  TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (space, id),
  FOREIGN KEY (space, scope) REFERENCES scopes (space, id)
);

-- The name and the aliases of an entity, folded for comparison.
CREATE TABLE entity_names (
  space  TEXT COLLATE "C" NOT NULL,
  scope  BIGINT NOT NULL,
  folded TEXT COLLATE "C" NOT NULL,
  entity TEXT COLLATE "C" NOT NULL,
  name   TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (space, scope, folded),
  FOREIGN KEY (space, entity) REFERENCES entities (space, id)
);
CREATE INDEX entity_names_by_entity ON entity_names (space, entity);

-- The entities that each fact mentions. These rows have no state of their own: they follow their facts.
CREATE TABLE fact_entities (
  space  TEXT COLLATE "C" NOT NULL,
  entity TEXT COLLATE "C" NOT NULL,
  fact   TEXT COLLATE "C" NOT NULL,
  since  BIGINT NOT NULL,
  PRIMARY KEY (space, entity, fact),
  FOREIGN KEY (space, entity) REFERENCES entities (space, id),
  FOREIGN KEY (space, fact) REFERENCES facts (space, id)
);
CREATE INDEX fact_entities_by_fact ON fact_entities (space, fact);

CREATE TABLE relations (
  space     TEXT COLLATE "C" NOT NULL,
  fact      TEXT COLLATE "C" NOT NULL,
  subject   TEXT COLLATE "C" NOT NULL,
  predicate TEXT COLLATE "C" NOT NULL,
  object    TEXT COLLATE "C" NOT NULL,
  since     BIGINT NOT NULL,
  PRIMARY KEY (space, fact, subject, predicate, object),
  FOREIGN KEY (space, fact) REFERENCES facts (space, id),
  FOREIGN KEY (space, subject) REFERENCES entities (space, id),
  FOREIGN KEY (space, object) REFERENCES entities (space, id)
);
CREATE INDEX relations_by_subject ON relations (space, subject);
CREATE INDEX relations_by_object ON relations (space, object);

CREATE TABLE audit (
  number  BIGINT GENERATED BY DEFAULT AS IDENTITY,
  space   TEXT COLLATE "C" NOT NULL,
  scope   BIGINT NOT NULL,
  seq     BIGINT NOT NULL,
  at      BIGINT NOT NULL,
  actor   TEXT COLLATE "C" NOT NULL,
  action  TEXT COLLATE "C" NOT NULL,
  subject TEXT COLLATE "C" NOT NULL,
  reason  TEXT COLLATE "C",
  nonce   BYTEA,
  digest  BYTEA NOT NULL,
  hash    BYTEA NOT NULL,
  sealed  BIGINT NOT NULL DEFAULT 0,  -- the end of the sealed part that keeps this entry
  PRIMARY KEY (space, number),
  FOREIGN KEY (space, scope) REFERENCES scopes (space, id)
);
CREATE UNIQUE INDEX audit_chain ON audit (space, scope, seq);
CREATE INDEX audit_by_subject ON audit (space, subject);
CREATE INDEX audit_by_time ON audit (space, at);
CREATE INDEX audit_unfinished ON audit (space, number) WHERE action = 'erase' AND nonce IS NOT NULL;

-- Set the counter of a table after a number. The function has the rights of the owner, because the
-- counters belong to the owner. Counting on needs no lock, which writers of other spaces could wait
-- for. Only a long way is jumped, with a lock, because a counter must not be set back meanwhile.
CREATE FUNCTION continue_number(counted regclass, counter regclass, highest bigint) RETURNS void
SECURITY DEFINER SET search_path = erstwhile, pg_temp LANGUAGE plpgsql AS $$
DECLARE
  way bigint := highest - nextval(counter);
BEGIN
  IF way <= 1000000 THEN
    PERFORM nextval(counter) FROM generate_series(1, way);
    RETURN;
  END IF;
  EXECUTE format('LOCK TABLE %s IN SHARE ROW EXCLUSIVE MODE', counted);
  IF nextval(counter) <= highest THEN
    PERFORM setval(counter, highest);
  END IF;
END $$;

-- Set the counters after the numbers of the copied rows of a space.
CREATE FUNCTION continue_numbers(given_space text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  counted record;
  highest bigint;
BEGIN
  FOR counted IN
    SELECT a.attrelid::regclass AS "table", a.attname AS "column",
           pg_get_serial_sequence(a.attrelid::regclass::text, a.attname) AS counter
    FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid
    WHERE c.relnamespace = 'erstwhile'::regnamespace AND a.attidentity <> ''
  LOOP
    EXECUTE format('SELECT max(%I) FROM %s WHERE space = $1', counted."column", counted."table")
      INTO highest USING given_space;
    PERFORM continue_number(counted."table", counted.counter, highest);
  END LOOP;
END $$;

-- The search index. All of it can be built again from the records.

-- The passages of facts, messages, observations, lessons and summaries. Words and vectors compare
-- passages. A short record has one passage.
CREATE TABLE passages (
  seq          BIGINT GENERATED BY DEFAULT AS IDENTITY,  -- never used again
  space        TEXT COLLATE "C" NOT NULL,
  kind         TEXT COLLATE "C" NOT NULL,
  record       TEXT COLLATE "C" NOT NULL,
  number       BIGINT NOT NULL,  -- the place in the record, from 0
  passages     BIGINT NOT NULL,  -- the number of passages of the record
  start        BIGINT NOT NULL,  -- in characters of the record's text
  length       BIGINT NOT NULL,
  partition    BIGINT NOT NULL,
  open         BIGINT NOT NULL,  -- whether the record is not ended and trusted
  conversation TEXT COLLATE "C",
  position     BIGINT,           -- the place of the record in its conversation
  embedded     BIGINT NOT NULL,  -- whether it gets a vector
  asks         BIGINT NOT NULL,  -- the percentage of a short record that only asks
  terms        TEXT COLLATE "C" NOT NULL,
  stored       TEXT COLLATE "C",  -- its text, if it is not a part of one column of the record
  PRIMARY KEY (space, seq)
);
CREATE UNIQUE INDEX passages_of_record ON passages (space, record, number);
CREATE INDEX passages_by_place ON passages (space, partition, conversation, position)
  WHERE conversation IS NOT NULL;

-- A partition holds the passages of one group of records (facts, messages, notes) in one scope. Its
-- number is four times the number of the scope, plus the number of the group.
CREATE TABLE partitions (
  space    TEXT COLLATE "C" NOT NULL,
  id       BIGINT NOT NULL,
  scope    BIGINT NOT NULL,
  changes  BIGINT NOT NULL,
  passages BIGINT NOT NULL,
  terms    BIGINT NOT NULL,  -- the number of terms of all its passages
  PRIMARY KEY (space, id),
  FOREIGN KEY (space, scope) REFERENCES scopes (space, id)
);
CREATE INDEX partitions_of_scope ON partitions (space, scope);

CREATE TABLE embedders (
  space      TEXT COLLATE "C" NOT NULL,
  id         BIGINT GENERATED BY DEFAULT AS IDENTITY,
  model      TEXT COLLATE "C" NOT NULL,
  dimensions BIGINT NOT NULL,
  serving    BIGINT NOT NULL,
  usual      DOUBLE PRECISION NOT NULL,  -- the mean similarity of unrelated texts
  spread     DOUBLE PRECISION NOT NULL,
  PRIMARY KEY (space, id),
  UNIQUE (space, model, dimensions)
);

-- One vector for each passage, decision and model, with eight bits per dimension. An erased vector leaves
-- an empty row.
CREATE TABLE vectors (
  space    TEXT COLLATE "C" NOT NULL,
  embedder BIGINT NOT NULL,
  seq      BIGINT NOT NULL,
  partition    BIGINT NOT NULL,
  rev      BIGINT NOT NULL,
  vector   BYTEA,
  PRIMARY KEY (space, embedder, seq),
  FOREIGN KEY (space, embedder) REFERENCES embedders (space, id)
);
CREATE INDEX vectors_by_rev ON vectors (space, embedder, partition, rev);

-- Passages and decisions that wait for their vector.
CREATE TABLE outbox (
  space    TEXT COLLATE "C" NOT NULL,
  seq      BIGINT NOT NULL,
  attempts BIGINT NOT NULL,
  due_at   BIGINT NOT NULL,
  problem  TEXT COLLATE "C",
  PRIMARY KEY (space, seq)
);
CREATE INDEX outbox_by_due ON outbox (space, due_at);

-- The terms of each passage as numbers: hashes of the space and the term. Each term is marked with the
-- partition, and with whether the record is open. So every partition has its own terms, and searching and counting
-- them is as fast as in a separate database.
CREATE TABLE passage_terms (
  space TEXT COLLATE "C" NOT NULL,
  seq   BIGINT NOT NULL,
  terms BIGINT[] NOT NULL,
  PRIMARY KEY (space, seq)
);
-- fastupdate is off: every search would have to scan the list of pending entries.
CREATE INDEX passage_terms_by_term ON passage_terms USING gin (terms) WITH (fastupdate = off);

-- The number of passages that contain each term. Writers of one scope run one after another, so they do
-- not wait for row locks here.
CREATE TABLE term_counts (
  space   TEXT COLLATE "C" NOT NULL,
  term    BIGINT NOT NULL,
  holding BIGINT NOT NULL,
  PRIMARY KEY (space, term)
) WITH (fillfactor = 80);

CREATE FUNCTION term_number(space text, term text) RETURNS bigint IMMUTABLE STRICT PARALLEL SAFE LANGUAGE sql
RETURN hashtextextended((space || ' ' || term) COLLATE "C", 0);

CREATE FUNCTION term_numbers(space text, terms text) RETURNS bigint[] IMMUTABLE STRICT PARALLEL SAFE LANGUAGE sql
RETURN ARRAY(
  SELECT DISTINCT term_number(space, each) FROM unnest(string_to_array(terms, ' ')) AS each ORDER BY 1);

-- Return whether the caller of a function with the rights of the owner may read a space. The setting `role`
-- names the caller's role, which such a function cannot change.
CREATE FUNCTION admitted(space text) RETURNS boolean STABLE LANGUAGE sql
RETURN (
  SELECT pg_has_role(caller, current_user, 'USAGE')
    OR coalesce(pg_has_role(caller, to_regrole('erstwhile_app'), 'USAGE'), false)
    OR coalesce(pg_has_role(caller, to_regrole(tenant_role(space)), 'USAGE'), false)
  FROM (SELECT coalesce(nullif(current_setting('role'), 'none'), session_user)::name AS caller) AS asked);

-- PostgreSQL does not use the index of terms under row-level security, because its operators are not
-- leakproof. So `match_terms` has the rights of the owner and this switch, and checks the space itself.
-- The function is declared immutable so that the planner replaces it by its value. Then nothing is left of
-- the policies where the switch is on, and `own_space` alone where it is off.
CREATE FUNCTION is_matching() RETURNS boolean IMMUTABLE LANGUAGE sql
RETURN coalesce(current_setting('erstwhile.matching', true), '') = 'on';
CREATE POLICY matching ON passage_terms FOR SELECT TO CURRENT_USER USING (is_matching());

-- Store the terms of a passage, and count them. Citus plans one statement on one table at a time, so the
-- functions that write take several.
CREATE FUNCTION add_terms(given_space text, given_seq bigint, given text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO passage_terms (space, seq, terms)
  VALUES (given_space, given_seq, term_numbers(given_space, given));
  INSERT INTO term_counts AS c (space, term, holding)
  SELECT t.space, unnest(t.terms), 1 FROM passage_terms AS t
  WHERE t.space = given_space AND t.seq = given_seq
  ON CONFLICT (space, term) DO UPDATE SET holding = c.holding + 1;
END $$;

-- Return the passages that contain the given, weighted terms: highest weight first, then shorter passages.
CREATE FUNCTION match_terms(given_space text, given jsonb, most bigint) RETURNS SETOF bigint
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
  RETURN QUERY
    SELECT t.seq FROM unnest(numbers, weights) AS w (number, weight)
    JOIN passage_terms AS t ON t.terms @> ARRAY[w.number]
    WHERE t.space = here
    GROUP BY t.seq
    ORDER BY sum(w.weight) DESC, min(cardinality(t.terms)), t.seq LIMIT most;
  PERFORM set_config('erstwhile.matching', 'off', true);
END $$;

-- Return whether Citus distributes a table over several servers.
CREATE FUNCTION is_distributed(asked regclass) RETURNS boolean STABLE LANGUAGE plpgsql AS $$
DECLARE
  answer boolean := false;
BEGIN
  IF to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL THEN
    EXECUTE 'SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_dist_partition WHERE logicalrelid = $1)'
      INTO answer USING asked;
  END IF;
  RETURN answer;
END $$;

-- Create an HNSW index for vectors with this number of dimensions, if vector search is enabled
-- (vectors.sql). The function has the rights of the owner, because other roles cannot create indexes. In a
-- distributed database only the owner's own session can, outside of other changes (`erstwhile distribute`).
CREATE FUNCTION index_dimensions(wanted bigint) RETURNS void
SECURITY DEFINER SET search_path = erstwhile, pg_temp LANGUAGE plpgsql AS $$
DECLARE
  home text := (SELECT quote_ident(n.nspname) FROM pg_extension AS e
                JOIN pg_namespace AS n ON n.oid = e.extnamespace WHERE e.extname = 'vector');
  caller name := coalesce(nullif(current_setting('role'), 'none'), session_user);
BEGIN
  IF to_regclass('vector_index') IS NULL OR to_regclass('vector_index_' || wanted) IS NOT NULL
     OR wanted > 4000 OR is_distributed(to_regclass('vector_index')) AND caller <> current_user THEN
    RETURN;
  END IF;
  PERFORM set_config('search_path', format('erstwhile, %s, pg_temp', home), true);
  EXECUTE format(
    'CREATE INDEX IF NOT EXISTS vector_index_%1$s ON vector_index
     USING hnsw ((vector::halfvec(%1$s)) halfvec_cosine_ops) WITH (ef_construction = 128)
     WHERE vector_dims(vector) = %1$s', wanted);
END $$;

-- Blocks: named texts that an agent edits itself, each with all its versions.

CREATE TABLE blocks (
  -- columns that never change
  space        TEXT COLLATE "C" NOT NULL,
  id           TEXT COLLATE "C" NOT NULL,
  scope        BIGINT NOT NULL,
  created_at   BIGINT NOT NULL,
  -- columns that may change: each earlier version is kept in block_versions
  known_from   BIGINT NOT NULL,
  version      BIGINT NOT NULL,
  name         TEXT COLLATE "C" NOT NULL,
  description  TEXT COLLATE "C" NOT NULL,
  content      TEXT COLLATE "C" NOT NULL,
  tokens       BIGINT NOT NULL,
  limit_tokens BIGINT NOT NULL,
  counted_by   TEXT COLLATE "C" NOT NULL,
  overflow     TEXT COLLATE "C" NOT NULL,
  moved        BIGINT NOT NULL,  -- characters that this version moved to the archive
  archived     BIGINT NOT NULL,  -- parts in the archive
  read_only    BIGINT NOT NULL,
  deleted_at   BIGINT,
  PRIMARY KEY (space, id),
  FOREIGN KEY (space, scope) REFERENCES scopes (space, id)
);

-- For all processes: at most one block of a name in a scope. Deleted blocks keep their names.
CREATE UNIQUE INDEX blocks_one_name ON blocks (space, scope, name) WHERE deleted_at IS NULL;
CREATE INDEX blocks_by_name ON blocks (space, scope, name);

CREATE TABLE block_versions (
  space        TEXT COLLATE "C" NOT NULL,
  id           TEXT COLLATE "C" NOT NULL,
  version      BIGINT NOT NULL,
  known_from   BIGINT NOT NULL,
  known_to     BIGINT NOT NULL,
  name         TEXT COLLATE "C" NOT NULL,
  description  TEXT COLLATE "C" NOT NULL,
  content      TEXT COLLATE "C" NOT NULL,
  tokens       BIGINT NOT NULL,
  limit_tokens BIGINT NOT NULL,
  counted_by   TEXT COLLATE "C" NOT NULL,
  overflow     TEXT COLLATE "C" NOT NULL,
  moved        BIGINT NOT NULL,  -- characters that this version moved to the archive
  archived     BIGINT NOT NULL,  -- parts in the archive
  read_only    BIGINT NOT NULL,
  deleted_at   BIGINT,
  PRIMARY KEY (space, id, version),
  FOREIGN KEY (space, id) REFERENCES blocks (space, id)
);

-- All versions of each block, with the period in which each version was the present one.
CREATE VIEW block_states WITH (security_invoker = true) AS
SELECT space, id, scope, created_at, known_from, 253402300799999999 AS known_to, version, name,
       description, content, tokens, limit_tokens, counted_by, overflow, moved, archived,
       read_only, deleted_at
FROM blocks
UNION ALL
SELECT b.space, b.id, b.scope, b.created_at, v.known_from, v.known_to, v.version, v.name,
       v.description, v.content, v.tokens, v.limit_tokens, v.counted_by, v.overflow, v.moved,
       v.archived, v.read_only, v.deleted_at
FROM block_versions AS v
JOIN blocks AS b ON b.space = v.space AND b.id = v.id;

-- Decisions: tool calls that were allowed, denied or observed.

-- In the outbox and in the vectors, passages have positive numbers and decisions negative ones: the
-- negative of the number of the decision, in a partition of its own.
CREATE TABLE decisions (
  number             BIGINT GENERATED BY DEFAULT AS IDENTITY,  -- never used again
  space              TEXT COLLATE "C" NOT NULL,
  id                 TEXT COLLATE "C" NOT NULL,
  scope              BIGINT NOT NULL,
  key                TEXT COLLATE "C" NOT NULL,  -- the caller's own name for it
  -- the request
  goal               TEXT COLLATE "C" NOT NULL,  -- secrets masked
  goal_digest        BYTEA NOT NULL,  -- keyed digest of the goal as it was
  turn               BIGINT NOT NULL,
  tool               TEXT COLLATE "C" NOT NULL,
  input              TEXT COLLATE "C" NOT NULL,  -- canonical JSON, secrets masked
  digest             BYTEA NOT NULL,  -- keyed digest of the tool and the input as they were
  covers             TEXT COLLATE "C" NOT NULL,  -- the whole input, or every input with the same fields
  text               TEXT COLLATE "C" NOT NULL,  -- the text of the input that is compared
  -- the decision
  choice             TEXT COLLATE "C" NOT NULL,
  message            TEXT COLLATE "C" NOT NULL,
  rationale          TEXT COLLATE "C" NOT NULL,
  options            TEXT COLLATE "C" NOT NULL,
  decided_by         TEXT COLLATE "C" NOT NULL,
  decided_at         BIGINT NOT NULL,
  lasts              TEXT COLLATE "C" NOT NULL,
  transient          BIGINT NOT NULL,
  recorded_at        BIGINT NOT NULL,
  -- columns that may change
  changed_at         BIGINT NOT NULL,
  outcome            TEXT COLLATE "C",
  outcome_good       BIGINT,
  outcome_at         BIGINT,
  superseded_by      TEXT COLLATE "C",
  superseded_because TEXT COLLATE "C",
  deleted_at         BIGINT,
  trusted            BIGINT NOT NULL,  -- 0: the word of a person that came with a file
  PRIMARY KEY (space, number),
  UNIQUE (space, id),
  UNIQUE (space, scope, key),
  FOREIGN KEY (space, scope) REFERENCES scopes (space, id)
);
CREATE INDEX decisions_newest ON decisions (space, scope, id);
CREATE INDEX decisions_by_goal ON decisions (space, scope, goal, id);
CREATE INDEX decisions_by_tool ON decisions (space, scope, tool, id);
CREATE INDEX decisions_judged ON decisions (space, scope, tool) WHERE choice <> 'observe';
CREATE INDEX decisions_by_age ON decisions (space, scope, decided_at);
CREATE INDEX decisions_deleted ON decisions (space, scope, deleted_at)
  WHERE deleted_at IS NOT NULL;

-- Store a vector, unless its passage or decision was erased meanwhile.
CREATE FUNCTION put_vector(given_space text, given_embedder bigint, given_seq bigint, given bytea)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  found_partition bigint;
  newest bigint;
BEGIN
  IF given_seq > 0 THEN
    SELECT p.partition INTO found_partition FROM passages AS p
    WHERE p.space = given_space AND p.seq = given_seq;
  ELSE
    SELECT d.scope * 4 + 3 INTO found_partition FROM decisions AS d
    WHERE d.space = given_space AND d.number = -given_seq;
  END IF;
  IF found_partition IS NULL THEN
    RETURN;
  END IF;
  SELECT max(v.rev) INTO newest FROM vectors AS v
  WHERE v.space = given_space AND v.embedder = given_embedder AND v.partition = found_partition;
  INSERT INTO vectors (space, embedder, seq, partition, rev, vector)
  VALUES (given_space, given_embedder, given_seq, found_partition, coalesce(newest, 0) + 1, given)
  ON CONFLICT (space, embedder, seq) DO UPDATE SET rev = excluded.rev, vector = excluded.vector;
END $$;

-- Conversations, sessions of other programs, and identities of people.

CREATE TABLE conversations (
  space        TEXT COLLATE "C" NOT NULL,
  id           TEXT COLLATE "C" NOT NULL,
  scope        BIGINT NOT NULL,
  channel      TEXT COLLATE "C" NOT NULL,
  started_at   BIGINT NOT NULL,
  parent       TEXT COLLATE "C",  -- the conversation of which it is a branch
  branched_at  TEXT COLLATE "C",  -- the last message that both contain
  metadata     TEXT COLLATE "C" NOT NULL,
  -- columns that may change; the audit trail records each change
  closed_at    BIGINT,
  summary      TEXT COLLATE "C",
  deleted_at   BIGINT,
  changed_at   BIGINT NOT NULL,
  -- derived from the messages
  active_at    BIGINT NOT NULL,
  messages     BIGINT NOT NULL,
  PRIMARY KEY (space, id),
  FOREIGN KEY (space, scope) REFERENCES scopes (space, id)
);
CREATE INDEX conversations_newest ON conversations (space, scope, id);
CREATE INDEX conversations_open ON conversations (space, scope, channel, active_at)
  WHERE closed_at IS NULL AND deleted_at IS NULL;
CREATE INDEX conversations_deleted ON conversations (space, scope, deleted_at)
  WHERE deleted_at IS NOT NULL;

-- `position` orders the messages of a conversation, `number` orders all messages. Times do not.
CREATE TABLE messages (
  number       BIGINT GENERATED BY DEFAULT AS IDENTITY,  -- never used again
  space        TEXT COLLATE "C" NOT NULL,
  id           TEXT COLLATE "C" NOT NULL,
  scope        BIGINT NOT NULL,
  conversation TEXT COLLATE "C" NOT NULL,
  position     BIGINT NOT NULL,
  role         TEXT COLLATE "C" NOT NULL CHECK (role IN ('user', 'assistant', 'system', 'tool')),
  content      TEXT COLLATE "C" NOT NULL,
  said_at      BIGINT NOT NULL,
  metadata     TEXT COLLATE "C" NOT NULL,
  key          TEXT COLLATE "C",  -- the idempotency key of the call: a retry stores nothing
  origin       TEXT COLLATE "C" NOT NULL,  -- its own id; for a copy in a branch, the id of the original
  undone_at    BIGINT,
  changed_at   BIGINT NOT NULL,
  learned_at   BIGINT,          -- the time when learning finished it
  PRIMARY KEY (space, number),
  FOREIGN KEY (space, conversation) REFERENCES conversations (space, id)
);
-- Return the position after the last message of a conversation.
CREATE FUNCTION next_message(given_space text, given_conversation text) RETURNS bigint
STABLE LANGUAGE plpgsql AS $$
BEGIN
  RETURN (SELECT coalesce(max(m.position), 0) + 1 FROM messages AS m
          WHERE m.space = given_space AND m.conversation = given_conversation);
END $$;

CREATE UNIQUE INDEX messages_by_id ON messages (space, id);
CREATE UNIQUE INDEX messages_by_position ON messages (space, conversation, position);
CREATE UNIQUE INDEX messages_by_key ON messages (space, scope, key, role) WHERE key IS NOT NULL;
CREATE INDEX messages_of_scope ON messages (space, scope, number);
CREATE INDEX messages_by_origin ON messages (space, origin);
CREATE INDEX messages_of_tools ON messages (space, conversation, position) WHERE role = 'tool';

-- A summary of a range of messages. The messages are kept.
CREATE TABLE compactions (
  space        TEXT COLLATE "C" NOT NULL,
  id           TEXT COLLATE "C" NOT NULL,
  scope        BIGINT NOT NULL,
  conversation TEXT COLLATE "C" NOT NULL,
  first        BIGINT NOT NULL,
  last         BIGINT NOT NULL,
  summary      TEXT COLLATE "C" NOT NULL,
  created_at   BIGINT NOT NULL,
  undone_at    BIGINT,
  changed_at   BIGINT NOT NULL,
  PRIMARY KEY (space, id),
  FOREIGN KEY (space, conversation) REFERENCES conversations (space, id)
);
CREATE UNIQUE INDEX compactions_once ON compactions (space, conversation, last)
  WHERE undone_at IS NULL;
CREATE INDEX compactions_of_conversation ON compactions (space, conversation, last);
CREATE INDEX compactions_of_scope ON compactions (space, scope, id);

-- Ids that other programs gave to their sessions.
CREATE TABLE sessions (
  space       TEXT COLLATE "C" NOT NULL,
  id          TEXT COLLATE "C" NOT NULL,
  scope       BIGINT NOT NULL,
  channel     TEXT COLLATE "C" NOT NULL,
  external    TEXT COLLATE "C" NOT NULL,
  changed_at  BIGINT NOT NULL,
  PRIMARY KEY (space, id),
  UNIQUE (space, scope, channel),
  FOREIGN KEY (space, scope) REFERENCES scopes (space, id)
);

-- Other names of a person; a person's name may itself be an alias.
CREATE TABLE identities (
  space       TEXT COLLATE "C" NOT NULL,
  id          TEXT COLLATE "C" NOT NULL,
  scope       BIGINT NOT NULL,
  alias       TEXT COLLATE "C" NOT NULL,
  person      TEXT COLLATE "C" NOT NULL,
  changed_at  BIGINT NOT NULL,
  PRIMARY KEY (space, id),
  UNIQUE (space, scope, alias),
  FOREIGN KEY (space, scope) REFERENCES scopes (space, id)
);
CREATE INDEX identities_of_scope ON identities (space, scope, id);
CREATE INDEX identities_by_person ON identities (space, scope, person);

-- Tasks with their runs, and checkpoints of runs with several phases.

CREATE TABLE tasks (
  space         TEXT COLLATE "C" NOT NULL,
  id            TEXT COLLATE "C" NOT NULL,
  scope         BIGINT NOT NULL,
  created_at    BIGINT NOT NULL,
  changed_at    BIGINT NOT NULL,
  deleted_at    BIGINT,
  description   TEXT COLLATE "C" NOT NULL,
  type          TEXT COLLATE "C" NOT NULL,
  status        TEXT COLLATE "C" NOT NULL,
  due_at        BIGINT NOT NULL,
  occurrence_at BIGINT NOT NULL,
  anchor        TEXT COLLATE "C" NOT NULL,  -- a wall-clock time in its zone
  time_zone     TEXT COLLATE "C" NOT NULL,
  recurrence    TEXT COLLATE "C",
  reply_to      TEXT COLLATE "C",
  metadata      TEXT COLLATE "C" NOT NULL,
  retries       BIGINT NOT NULL,
  attempts      BIGINT NOT NULL,
  last_error    TEXT COLLATE "C",
  run           TEXT COLLATE "C",
  worker        TEXT COLLATE "C",
  lease_until   BIGINT,
  -- derived from the other columns
  fingerprint   BYTEA NOT NULL,
  terms         TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (space, id),
  FOREIGN KEY (space, scope) REFERENCES scopes (space, id)
);
-- For all processes: no two open tasks have the same details.
CREATE UNIQUE INDEX tasks_one_twin ON tasks (space, scope, fingerprint)
  WHERE status IN ('pending', 'claimed') AND deleted_at IS NULL;
CREATE INDEX tasks_waiting ON tasks (space, scope, due_at, id)
  WHERE status = 'pending' AND deleted_at IS NULL;
CREATE INDEX tasks_leased ON tasks (space, scope, lease_until, id)
  WHERE status = 'claimed' AND deleted_at IS NULL;
CREATE INDEX tasks_by_time ON tasks (space, scope, due_at, id);
CREATE INDEX tasks_newest ON tasks (space, scope, id);
CREATE INDEX tasks_deleted ON tasks (space, scope, deleted_at) WHERE deleted_at IS NOT NULL;

-- One row for each attempt. Finishing it needs the token.
CREATE TABLE task_runs (
  space         TEXT COLLATE "C" NOT NULL,
  id            TEXT COLLATE "C" NOT NULL,
  scope         BIGINT NOT NULL,
  task          TEXT COLLATE "C" NOT NULL,
  token         TEXT COLLATE "C" NOT NULL,
  status        TEXT COLLATE "C" NOT NULL,
  attempt       BIGINT NOT NULL,
  worker        TEXT COLLATE "C" NOT NULL,
  occurrence_at BIGINT NOT NULL,
  started_at    BIGINT NOT NULL,
  finished_at   BIGINT,
  changed_at    BIGINT NOT NULL,
  result        TEXT COLLATE "C",
  error         TEXT COLLATE "C",
  tokens_used   BIGINT,
  PRIMARY KEY (space, id),
  FOREIGN KEY (space, task) REFERENCES tasks (space, id)
);
CREATE INDEX task_runs_of_task ON task_runs (space, task, id);
CREATE INDEX task_runs_of_scope ON task_runs (space, scope, id);
CREATE UNIQUE INDEX task_runs_by_token ON task_runs (space, token);

-- The progress of a run: a row for each phase, in the order in which the phases were first named.
CREATE TABLE checkpoints (
  space      TEXT COLLATE "C" NOT NULL,
  id         TEXT COLLATE "C" NOT NULL,
  scope      BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  changed_at BIGINT NOT NULL,
  deleted_at BIGINT,
  run        TEXT COLLATE "C" NOT NULL,
  phase      TEXT COLLATE "C" NOT NULL,
  position   BIGINT NOT NULL,
  status     TEXT COLLATE "C" NOT NULL,
  attempts   BIGINT NOT NULL,
  output     TEXT COLLATE "C",
  error      TEXT COLLATE "C",
  PRIMARY KEY (space, id),
  FOREIGN KEY (space, scope) REFERENCES scopes (space, id)
);
-- For all processes: a run has each phase once.
CREATE UNIQUE INDEX checkpoints_one_phase ON checkpoints (space, scope, run, phase)
  WHERE deleted_at IS NULL;
CREATE INDEX checkpoints_in_order ON checkpoints (space, scope, run, position);
CREATE INDEX checkpoints_newest ON checkpoints (space, scope, id);
CREATE INDEX checkpoints_deleted ON checkpoints (space, scope, deleted_at)
  WHERE deleted_at IS NOT NULL;

-- Snapshots: named moments of the recorded time. The states of that moment are in the versions.
CREATE TABLE snapshots (
  space       TEXT COLLATE "C" NOT NULL,
  id          TEXT COLLATE "C" NOT NULL,
  scope       BIGINT NOT NULL,
  created_at  BIGINT NOT NULL,
  changed_at  BIGINT NOT NULL,
  deleted_at  BIGINT,
  name        TEXT COLLATE "C" NOT NULL,
  at          BIGINT NOT NULL,
  description TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (space, id),
  FOREIGN KEY (space, scope) REFERENCES scopes (space, id)
);
-- For all processes: a scope has one snapshot of a name.
CREATE UNIQUE INDEX snapshots_one_name ON snapshots (space, scope, name)
  WHERE deleted_at IS NULL;
CREATE INDEX snapshots_by_name ON snapshots (space, scope, name);
CREATE INDEX snapshots_newest ON snapshots (space, scope, id);
CREATE INDEX snapshots_deleted ON snapshots (space, scope, deleted_at)
  WHERE deleted_at IS NOT NULL;

-- Records of an agent's work. `changed_at` is the time of the last change of a row, which is the time
-- of its newest audit entry. A deleted record can be restored.

CREATE TABLE outcomes (
  space      TEXT COLLATE "C" NOT NULL,
  id         TEXT COLLATE "C" NOT NULL,
  scope      BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  changed_at BIGINT NOT NULL,
  deleted_at BIGINT,
  domain     TEXT COLLATE "C" NOT NULL,
  score      BIGINT NOT NULL,
  note       TEXT COLLATE "C",
  source     TEXT COLLATE "C",
  PRIMARY KEY (space, id),
  FOREIGN KEY (space, scope) REFERENCES scopes (space, id)
);
CREATE INDEX outcomes_newest ON outcomes (space, scope, id);
CREATE INDEX outcomes_deleted ON outcomes (space, scope, deleted_at) WHERE deleted_at IS NOT NULL;

CREATE TABLE lessons (
  space       TEXT COLLATE "C" NOT NULL,
  id          TEXT COLLATE "C" NOT NULL,
  scope       BIGINT NOT NULL,
  created_at  BIGINT NOT NULL,
  changed_at  BIGINT NOT NULL,
  deleted_at  BIGINT,
  domain      TEXT COLLATE "C" NOT NULL,
  rule        TEXT COLLATE "C" NOT NULL,
  fingerprint BYTEA NOT NULL,
  occurrences BIGINT NOT NULL,
  learned_at  BIGINT NOT NULL,
  usefulness  DOUBLE PRECISION NOT NULL,
  PRIMARY KEY (space, id),
  FOREIGN KEY (space, scope) REFERENCES scopes (space, id)
);
-- For all processes: a rule is stored once, deleted or not. Adding it again restores it.
CREATE UNIQUE INDEX lessons_one_rule ON lessons (space, scope, domain, fingerprint);
CREATE INDEX lessons_most_useful ON lessons (space, scope, usefulness, id);
CREATE INDEX lessons_deleted ON lessons (space, scope, deleted_at) WHERE deleted_at IS NOT NULL;

CREATE TABLE observations (
  space      TEXT COLLATE "C" NOT NULL,
  id         TEXT COLLATE "C" NOT NULL,
  scope      BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  changed_at BIGINT NOT NULL,
  deleted_at BIGINT,
  type       TEXT COLLATE "C" NOT NULL,
  title      TEXT COLLATE "C" NOT NULL,
  what       TEXT COLLATE "C",
  why        TEXT COLLATE "C",
  place      TEXT COLLATE "C",
  learned    TEXT COLLATE "C",
  PRIMARY KEY (space, id),
  FOREIGN KEY (space, scope) REFERENCES scopes (space, id)
);
CREATE INDEX observations_newest ON observations (space, scope, id);
CREATE INDEX observations_deleted ON observations (space, scope, deleted_at)
  WHERE deleted_at IS NOT NULL;

CREATE TABLE limitations (
  space       TEXT COLLATE "C" NOT NULL,
  id          TEXT COLLATE "C" NOT NULL,
  scope       BIGINT NOT NULL,
  created_at  BIGINT NOT NULL,
  changed_at  BIGINT NOT NULL,
  deleted_at  BIGINT,
  title       TEXT COLLATE "C" NOT NULL,
  fingerprint BYTEA NOT NULL,
  description TEXT COLLATE "C",
  plan        TEXT COLLATE "C",
  reports     BIGINT NOT NULL,
  reported_at BIGINT NOT NULL,
  resolved_at BIGINT,
  resolution  TEXT COLLATE "C",
  PRIMARY KEY (space, id),
  FOREIGN KEY (space, scope) REFERENCES scopes (space, id)
);
-- For all processes: one open limitation of a title. A resolved limitation may be added again.
CREATE UNIQUE INDEX limitations_one_open ON limitations (space, scope, fingerprint)
  WHERE resolved_at IS NULL AND deleted_at IS NULL;
CREATE INDEX limitations_newest ON limitations (space, scope, id);
CREATE INDEX limitations_deleted ON limitations (space, scope, deleted_at)
  WHERE deleted_at IS NOT NULL;

-- Calls of models. `cost` is in nano-dollars; NULL means that the price is unknown.
CREATE TABLE usage (
  space       TEXT COLLATE "C" NOT NULL,
  id          TEXT COLLATE "C" NOT NULL,
  scope       BIGINT NOT NULL,
  created_at  BIGINT NOT NULL,
  changed_at  BIGINT NOT NULL,
  deleted_at  BIGINT,
  model       TEXT COLLATE "C" NOT NULL,
  session     TEXT COLLATE "C",
  at          BIGINT NOT NULL,
  input       BIGINT NOT NULL,
  output      BIGINT NOT NULL,
  cache_read  BIGINT NOT NULL,
  cache_write BIGINT NOT NULL,
  cost        BIGINT,
  PRIMARY KEY (space, id),
  FOREIGN KEY (space, scope) REFERENCES scopes (space, id)
);
CREATE INDEX usage_newest ON usage (space, scope, id);
CREATE INDEX usage_by_time ON usage (space, scope, at);
CREATE INDEX usage_deleted ON usage (space, scope, deleted_at) WHERE deleted_at IS NOT NULL;

-- The stages of onboarding that a scope has reached, each once.
CREATE TABLE onboarding (
  space      TEXT COLLATE "C" NOT NULL,
  id         TEXT COLLATE "C" NOT NULL,
  scope      BIGINT NOT NULL,
  stage      TEXT COLLATE "C" NOT NULL,
  reached_at BIGINT NOT NULL,
  PRIMARY KEY (space, scope, stage),
  FOREIGN KEY (space, scope) REFERENCES scopes (space, id)
);

-- The progress of learning, its attempts, and conflicts between facts.

-- The queue of learning. It is not part of the audit trail.
CREATE TABLE learning (
  space        TEXT COLLATE "C" NOT NULL,
  conversation TEXT COLLATE "C" NOT NULL,
  scope        BIGINT NOT NULL,
  learned      BIGINT NOT NULL,  -- the last position that was learned from
  wanted       BIGINT NOT NULL,  -- the last position for which learning was requested
  tries        BIGINT NOT NULL,  -- the number of failures of the next turn
  try_at       BIGINT NOT NULL,  -- the earliest time of the next try
  holder       TEXT COLLATE "C",  -- the process with the lease
  token        TEXT COLLATE "C",  -- the token that proves the lease
  leased_until BIGINT NOT NULL,  -- the end of the lease; 0 without a lease
  with_model   BIGINT NOT NULL DEFAULT 0, -- whether the requester has a language model
  PRIMARY KEY (space, conversation),
  FOREIGN KEY (space, conversation) REFERENCES conversations (space, id),
  FOREIGN KEY (space, scope) REFERENCES scopes (space, id)
);
CREATE INDEX learning_waiting ON learning (space, scope, conversation) WHERE learned < wanted;

CREATE TABLE attempts (
  space        TEXT COLLATE "C" NOT NULL,
  id           TEXT COLLATE "C" NOT NULL,
  scope        BIGINT NOT NULL,
  created_at   BIGINT NOT NULL,
  changed_at   BIGINT NOT NULL,
  deleted_at   BIGINT,
  conversation TEXT COLLATE "C" NOT NULL,
  first        BIGINT NOT NULL,  -- positions in the conversation
  last         BIGINT NOT NULL,
  messages     TEXT COLLATE "C" NOT NULL,
  outcome      TEXT COLLATE "C" NOT NULL,
  method       TEXT COLLATE "C" NOT NULL,
  reason       TEXT COLLATE "C",
  input        BIGINT NOT NULL,
  output       BIGINT NOT NULL,
  cost         BIGINT,  -- in nano-dollars; NULL means that the price is unknown
  changes      TEXT COLLATE "C" NOT NULL,
  proposals    TEXT COLLATE "C" NOT NULL,  -- the words of the changes; '[]' after an erasure
  PRIMARY KEY (space, id),
  FOREIGN KEY (space, scope) REFERENCES scopes (space, id)
);
CREATE INDEX attempts_newest ON attempts (space, scope, id);
CREATE INDEX attempts_of_conversation ON attempts (space, conversation, id);
CREATE INDEX attempts_deleted ON attempts (space, scope, deleted_at) WHERE deleted_at IS NOT NULL;

-- Conflicts: two facts that may contradict each other, until a person settles it.
CREATE TABLE conflicts (
  space        TEXT COLLATE "C" NOT NULL,
  id           TEXT COLLATE "C" NOT NULL,
  scope        BIGINT NOT NULL,
  created_at   BIGINT NOT NULL,
  changed_at   BIGINT NOT NULL,
  deleted_at   BIGINT,
  older        TEXT COLLATE "C" NOT NULL,
  newer        TEXT COLLATE "C" NOT NULL,
  reason       TEXT COLLATE "C",
  settled_at   BIGINT,
  kept         TEXT COLLATE "C",
  resolution   TEXT COLLATE "C",
  PRIMARY KEY (space, id),
  FOREIGN KEY (space, scope) REFERENCES scopes (space, id)
);
-- For all processes: a pair is stored once. A settled conflict is not opened again.
CREATE UNIQUE INDEX conflicts_one_pair ON conflicts (space, scope, older, newer);
CREATE INDEX conflicts_newest ON conflicts (space, scope, id);
CREATE INDEX conflicts_of_older ON conflicts (space, older);
CREATE INDEX conflicts_of_newer ON conflicts (space, newer);
CREATE INDEX conflicts_deleted ON conflicts (space, scope, deleted_at)
  WHERE deleted_at IS NOT NULL;

-- Finds rejected facts, so that neither agents nor sources from outside store them again.
CREATE INDEX facts_rejected ON facts (space, scope, id)
  WHERE ending = 'wrong';

-- The use of facts in prompts, and the feedback on them. They are in separate tables, so that a query
-- does not rewrite indexed rows. They belong to the reader: a reader's data may come from another store
-- without the shared facts that the reader used. So their fact is not a foreign key.

CREATE TABLE fact_uses (
  space   TEXT COLLATE "C" NOT NULL,
  fact    TEXT COLLATE "C" NOT NULL,
  scope   BIGINT NOT NULL,  -- the scope of the reader
  day     BIGINT NOT NULL,  -- the last day of use: days since 1970 in UTC
  queries BIGINT NOT NULL,  -- a bit for each query of that day, chosen by its hash
  earlier DOUBLE PRECISION NOT NULL,  -- the use of all earlier days, with decay up to that day
  PRIMARY KEY (space, fact, scope),
  FOREIGN KEY (space, scope) REFERENCES scopes (space, id)
);
CREATE INDEX fact_uses_by_day ON fact_uses (space, day);

CREATE TABLE feedback (
  space      TEXT COLLATE "C" NOT NULL,
  id         TEXT COLLATE "C" NOT NULL,
  scope      BIGINT NOT NULL,  -- the scope of the reader
  fact       TEXT COLLATE "C" NOT NULL,
  useful     BIGINT NOT NULL,
  irrelevant BIGINT NOT NULL,
  changed_at BIGINT NOT NULL,
  PRIMARY KEY (space, id),
  UNIQUE (space, fact, scope),
  FOREIGN KEY (space, scope) REFERENCES scopes (space, id)
);
CREATE INDEX feedback_of_scope ON feedback (space, scope, id);

-- Facts that do not depend on the query: pinned facts, standing instructions, and facts about people,
-- project and environment.

CREATE INDEX facts_pinned ON facts (space, scope, id) WHERE pinned = 1;
CREATE INDEX facts_standing ON facts (space, scope, kind, id)
  WHERE kind IN ('profile', 'instruction', 'project', 'environment');

-- Finds ended facts, so that an older conversation does not state them again.
CREATE INDEX facts_ended ON facts (space, scope, fingerprint) WHERE retired_at IS NOT NULL;

-- The lease of the process that maintains this space, and the end of the last maintenance.
CREATE TABLE maintenance (
  space        TEXT COLLATE "C" NOT NULL,
  token        TEXT COLLATE "C" NOT NULL,
  leased_until BIGINT NOT NULL,
  finished_at  BIGINT,
  PRIMARY KEY (space)
);

-- The changes that a client asked for with a key of its own, so that a repeated request changes nothing.
CREATE TABLE requests (
  space   TEXT COLLATE "C" NOT NULL,
  key     TEXT COLLATE "C" NOT NULL,  -- a hash of the key, the sender and the scope
  digest  TEXT COLLATE "C" NOT NULL,  -- a hash of the request
  claim   TEXT COLLATE "C" NOT NULL,  -- the try that carried it out
  made_at BIGINT NOT NULL,
  answer  TEXT COLLATE "C",           -- empty if it is not kept
  PRIMARY KEY (space, key)
);
CREATE INDEX requests_by_time ON requests (space, made_at);

-- Guard every table that has a space, and grant the roles the rest of their rights. Run it as the owner at the
-- end of a migration, and after the roles were created.
CREATE FUNCTION guard_all() RETURNS void SET search_path = erstwhile, pg_temp LANGUAGE plpgsql AS $$
DECLARE
  grantee text;
BEGIN
  PERFORM guard(c.oid) FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid
  WHERE c.relnamespace = 'erstwhile'::regnamespace AND c.relkind IN ('r', 'p') AND a.attname = 'space';
  REVOKE EXECUTE ON FUNCTION match_terms, index_dimensions, continue_number FROM PUBLIC;
  FOREACH grantee IN ARRAY ARRAY['erstwhile_app', 'erstwhile_tenant'] LOOP
    IF to_regrole(grantee) IS NOT NULL THEN
      EXECUTE format('GRANT USAGE ON SCHEMA erstwhile TO %I', grantee);
      EXECUTE format('GRANT SELECT ON migrations, fact_states, block_states TO %I', grantee);
      EXECUTE format('GRANT EXECUTE ON FUNCTION match_terms, index_dimensions TO %I', grantee);
    END IF;
  END LOOP;
  IF to_regrole('erstwhile_app') IS NOT NULL THEN  -- not to tenants: all spaces share these numbers
    GRANT EXECUTE ON FUNCTION continue_number TO erstwhile_app;
  END IF;
END $$;

-- Bind a login to a space: whatever it sets, it reads and changes this space alone. Who calls it must be
-- allowed to create roles. Several logins may be bound to one space, and one login to several spaces.
CREATE FUNCTION bind(login name, space text) RETURNS void SET search_path = erstwhile, pg_temp
LANGUAGE plpgsql AS $$
DECLARE
  bound text := tenant_role(space);
  owner oid := (SELECT nspowner FROM pg_namespace WHERE nspname = 'erstwhile');
BEGIN
  IF to_regrole('erstwhile_tenant') IS NULL THEN
    RAISE EXCEPTION 'there is no role erstwhile_tenant'
      USING HINT = 'create it, and run SELECT erstwhile.guard_all() as the owner of the schema';
  END IF;
  IF EXISTS (SELECT 1 FROM pg_roles AS r WHERE r.rolname = login
             AND (r.rolsuper OR r.rolbypassrls OR r.rolcreaterole OR r.rolreplication
                  OR pg_has_role(r.oid, owner, 'MEMBER')
                  OR coalesce(pg_has_role(r.oid, to_regrole('erstwhile_app'), 'MEMBER'), false))) THEN
    RAISE EXCEPTION 'this login cannot be bound to a space: it has more rights than a tenant'
      USING HINT = 'create another: CREATE ROLE … LOGIN PASSWORD ''…''';
  END IF;
  IF to_regrole(bound) IS NULL THEN
    EXECUTE format('CREATE ROLE %I NOLOGIN', bound);
    EXECUTE format('GRANT erstwhile_tenant TO %I', bound);
  END IF;
  EXECUTE format('GRANT %I TO %I', bound, login);
END $$;

-- End the binding of a login to a space. Then the login sees nothing of it.
CREATE FUNCTION unbind(login name, space text) RETURNS void SET search_path = erstwhile, pg_temp
LANGUAGE plpgsql AS $$
BEGIN
  IF to_regrole(tenant_role(space)) IS NOT NULL THEN
    EXECUTE format('REVOKE %I FROM %I', tenant_role(space), login);
  END IF;
END $$;

SELECT guard_all();
