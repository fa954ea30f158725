-- Times are microseconds since 1970 in UTC; 253402300799999999 (the end of 9999) means "no end".
-- An unset scope dimension is the empty text: `IN ('', :user)` then fails closed.

CREATE TABLE scopes (
  space          TEXT    NOT NULL,
  id             INTEGER NOT NULL,
  scope_user     TEXT    NOT NULL,
  scope_agent    TEXT    NOT NULL,
  scope_project  TEXT    NOT NULL,
  scope_session  TEXT    NOT NULL,
  -- the end of this scope's audit chain
  head_seq       INTEGER NOT NULL DEFAULT 0,
  head_hash      BLOB    NOT NULL,
  PRIMARY KEY (space, id),
  UNIQUE (space, scope_user, scope_agent, scope_project, scope_session)
) STRICT, WITHOUT ROWID;

CREATE TABLE facts (
  -- what never changes
  space           TEXT    NOT NULL,
  id              TEXT    NOT NULL,
  scope           INTEGER NOT NULL,
  kind            TEXT    NOT NULL,
  text            TEXT    NOT NULL,
  key             TEXT,
  fingerprint     BLOB    NOT NULL,
  origin          TEXT    NOT NULL,
  source          TEXT,
  recorded_at     INTEGER NOT NULL,
  -- what may change: each earlier state is kept in fact_versions
  known_from      INTEGER NOT NULL,
  trust           TEXT    NOT NULL,
  confidence      REAL    NOT NULL,
  tier            TEXT    NOT NULL,
  evidence        INTEGER NOT NULL,
  valid_from      INTEGER NOT NULL,
  valid_to        INTEGER NOT NULL,
  expires_at      INTEGER NOT NULL,
  retired_at      INTEGER,
  retired_because TEXT,
  supersedes      TEXT    NOT NULL,
  superseded_by   TEXT,
  pinned          INTEGER NOT NULL,
  entities        TEXT    NOT NULL,
  relations       TEXT    NOT NULL,
  tags            TEXT    NOT NULL,
  metadata        TEXT    NOT NULL,
  deleted_at      INTEGER,
  PRIMARY KEY (space, id),
  FOREIGN KEY (space, scope) REFERENCES scopes (space, id)
) STRICT;

-- Across processes: at most one open verbatim twin, and one open value of a key.
CREATE UNIQUE INDEX facts_one_twin ON facts (space, scope, kind, fingerprint)
  WHERE retired_at IS NULL AND deleted_at IS NULL;
CREATE UNIQUE INDEX facts_one_value ON facts (space, scope, key)
  WHERE key IS NOT NULL AND retired_at IS NULL AND deleted_at IS NULL;
CREATE INDEX facts_by_key ON facts (space, scope, key) WHERE key IS NOT NULL;
CREATE INDEX facts_newest ON facts (space, scope, id);
CREATE INDEX facts_by_successor ON facts (space, superseded_by) WHERE superseded_by IS NOT NULL;
CREATE INDEX facts_deleted ON facts (space, scope, deleted_at) WHERE deleted_at IS NOT NULL;

CREATE TABLE fact_versions (
  space           TEXT    NOT NULL,
  id              TEXT    NOT NULL,
  known_from      INTEGER NOT NULL,
  known_to        INTEGER NOT NULL,
  trust           TEXT    NOT NULL,
  confidence      REAL    NOT NULL,
  tier            TEXT    NOT NULL,
  evidence        INTEGER NOT NULL,
  valid_from      INTEGER NOT NULL,
  valid_to        INTEGER NOT NULL,
  expires_at      INTEGER NOT NULL,
  retired_at      INTEGER,
  retired_because TEXT,
  supersedes      TEXT    NOT NULL,
  superseded_by   TEXT,
  pinned          INTEGER NOT NULL,
  entities        TEXT    NOT NULL,
  relations       TEXT    NOT NULL,
  tags            TEXT    NOT NULL,
  metadata        TEXT    NOT NULL,
  deleted_at      INTEGER,
  PRIMARY KEY (space, id, known_from),
  FOREIGN KEY (space, id) REFERENCES facts (space, id)
) STRICT, WITHOUT ROWID;

-- Every state that a fact was ever in, with the time during which we knew it so.
CREATE VIEW fact_states AS
SELECT space, id, scope, kind, text, key, origin, source, recorded_at,
       known_from, 253402300799999999 AS known_to,
       trust, confidence, tier, evidence, valid_from, valid_to, expires_at, retired_at,
       retired_because, supersedes, superseded_by, pinned, entities, relations, tags, metadata,
       deleted_at
FROM facts
UNION ALL
SELECT f.space, f.id, f.scope, f.kind, f.text, f.key, f.origin, f.source, f.recorded_at,
       v.known_from, v.known_to,
       v.trust, v.confidence, v.tier, v.evidence, v.valid_from, v.valid_to, v.expires_at,
       v.retired_at, v.retired_because, v.supersedes, v.superseded_by, v.pinned, v.entities,
       v.relations, v.tags, v.metadata, v.deleted_at
FROM fact_versions AS v
JOIN facts AS f ON f.space = v.space AND f.id = v.id;

-- Look-up by tag; `facts.tags` has the truth.
CREATE TABLE fact_tags (
  space TEXT    NOT NULL,
  scope INTEGER NOT NULL,
  tag   TEXT    NOT NULL,
  fact  TEXT    NOT NULL,
  since INTEGER NOT NULL,
  PRIMARY KEY (space, scope, tag, fact),
  FOREIGN KEY (space, fact) REFERENCES facts (space, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX fact_tags_by_fact ON fact_tags (space, fact);

CREATE TABLE entities (
  space TEXT    NOT NULL,
  id    TEXT    NOT NULL,
  scope INTEGER NOT NULL,
  name  TEXT    NOT NULL,
  PRIMARY KEY (space, id),
  FOREIGN KEY (space, scope) REFERENCES scopes (space, id)
) STRICT, WITHOUT ROWID;

-- The name and the aliases of an entity, in the form in which they are compared.
CREATE TABLE entity_names (
  space  TEXT    NOT NULL,
  scope  INTEGER NOT NULL,
  folded TEXT    NOT NULL,
  entity TEXT    NOT NULL,
  name   TEXT    NOT NULL,
  PRIMARY KEY (space, scope, folded),
  FOREIGN KEY (space, entity) REFERENCES entities (space, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX entity_names_by_entity ON entity_names (space, entity);

-- Which facts mention which entities. Edges have no life of their own: they follow their facts.
CREATE TABLE fact_entities (
  space  TEXT    NOT NULL,
  entity TEXT    NOT NULL,
  fact   TEXT    NOT NULL,
  since  INTEGER NOT NULL,
  PRIMARY KEY (space, entity, fact),
  FOREIGN KEY (space, entity) REFERENCES entities (space, id),
  FOREIGN KEY (space, fact) REFERENCES facts (space, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX fact_entities_by_fact ON fact_entities (space, fact);

CREATE TABLE relations (
  space     TEXT    NOT NULL,
  fact      TEXT    NOT NULL,
  subject   TEXT    NOT NULL,
  predicate TEXT    NOT NULL,
  object    TEXT    NOT NULL,
  since     INTEGER NOT NULL,
  PRIMARY KEY (space, fact, subject, predicate, object),
  FOREIGN KEY (space, fact) REFERENCES facts (space, id),
  FOREIGN KEY (space, subject) REFERENCES entities (space, id),
  FOREIGN KEY (space, object) REFERENCES entities (space, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX relations_by_subject ON relations (space, subject);
CREATE INDEX relations_by_object ON relations (space, object);

CREATE TABLE audit (
  number  INTEGER PRIMARY KEY,
  space   TEXT    NOT NULL,
  scope   INTEGER NOT NULL,
  seq     INTEGER NOT NULL,
  at      INTEGER NOT NULL,
  actor   TEXT    NOT NULL,
  action  TEXT    NOT NULL,
  subject TEXT    NOT NULL,
  reason  TEXT,
  nonce   BLOB,
  digest  BLOB    NOT NULL,
  hash    BLOB    NOT NULL,
  FOREIGN KEY (space, scope) REFERENCES scopes (space, id)
) STRICT;
CREATE UNIQUE INDEX audit_chain ON audit (space, scope, seq);
CREATE INDEX audit_by_subject ON audit (space, subject);
CREATE INDEX audit_unfinished ON audit (space, number) WHERE action = 'erase' AND nonce IS NOT NULL;

-- What the planner shall believe of a middling file: rows, then rows per value of the key's first
-- column, of its first two, and so on. One file is one space, so `space` narrows nothing; left to
-- guess, SQLite takes it for selective and walks whole tables.
ANALYZE sqlite_schema;
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
  ('scopes', 'scopes', '1000 1000 1'),
  ('scopes', 'sqlite_autoindex_scopes_2', '1000 1000 100 50 20 1'),
  ('facts', 'sqlite_autoindex_facts_1', '100000 100000 1'),
  ('facts', 'facts_one_twin', '90000 90000 900 100 1'),
  ('facts', 'facts_one_value', '5000 5000 50 1'),
  ('facts', 'facts_by_key', '10000 10000 100 2'),
  ('facts', 'facts_newest', '100000 100000 1000 1'),
  ('facts', 'facts_by_successor', '10000 10000 1'),
  ('facts', 'facts_deleted', '1000 1000 10 1'),
  ('fact_versions', 'fact_versions', '50000 50000 2 1'),
  ('fact_tags', 'fact_tags', '100000 100000 1000 10 1'),
  ('fact_tags', 'fact_tags_by_fact', '100000 100000 2'),
  ('entities', 'entities', '10000 10000 1'),
  ('entity_names', 'entity_names', '12000 12000 120 1'),
  ('entity_names', 'entity_names_by_entity', '12000 12000 1'),
  ('fact_entities', 'fact_entities', '100000 100000 10 1'),
  ('fact_entities', 'fact_entities_by_fact', '100000 100000 2'),
  ('relations', 'relations', '50000 50000 2 1 1 1'),
  ('relations', 'relations_by_subject', '50000 50000 5'),
  ('relations', 'relations_by_object', '50000 50000 5'),
  ('audit', 'audit_chain', '150000 150000 1500 1'),
  ('audit', 'audit_by_subject', '150000 150000 2'),
  ('audit', 'audit_unfinished', '10 10 1');
ANALYZE sqlite_schema;
