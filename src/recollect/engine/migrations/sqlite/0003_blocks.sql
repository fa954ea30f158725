-- Blocks: named texts that an agent edits itself, each with all its versions.

CREATE TABLE blocks (
  -- what never changes
  space        TEXT    NOT NULL,
  id           TEXT    NOT NULL,
  scope        INTEGER NOT NULL,
  created_at   INTEGER NOT NULL,
  -- what may change: each earlier version is kept in block_versions
  known_from   INTEGER NOT NULL,
  version      INTEGER NOT NULL,
  name         TEXT    NOT NULL,
  description  TEXT    NOT NULL,
  content      TEXT    NOT NULL,
  tokens       INTEGER NOT NULL,
  limit_tokens INTEGER NOT NULL,
  counted_by   TEXT    NOT NULL,
  overflow     TEXT    NOT NULL,
  read_only    INTEGER NOT NULL,
  deleted_at   INTEGER,
  PRIMARY KEY (space, id),
  FOREIGN KEY (space, scope) REFERENCES scopes (space, id)
) STRICT;

-- Across processes: at most one block of a name in a scope. Deleted ones keep theirs beside it.
CREATE UNIQUE INDEX blocks_one_name ON blocks (space, scope, name) WHERE deleted_at IS NULL;
CREATE INDEX blocks_by_name ON blocks (space, scope, name);

CREATE TABLE block_versions (
  space        TEXT    NOT NULL,
  id           TEXT    NOT NULL,
  version      INTEGER NOT NULL,
  known_from   INTEGER NOT NULL,
  known_to     INTEGER NOT NULL,
  name         TEXT    NOT NULL,
  description  TEXT    NOT NULL,
  content      TEXT    NOT NULL,
  tokens       INTEGER NOT NULL,
  limit_tokens INTEGER NOT NULL,
  counted_by   TEXT    NOT NULL,
  overflow     TEXT    NOT NULL,
  read_only    INTEGER NOT NULL,
  deleted_at   INTEGER,
  PRIMARY KEY (space, id, version),
  FOREIGN KEY (space, id) REFERENCES blocks (space, id)
) STRICT;

-- Every version of every block, with the time during which it was the present one.
CREATE VIEW block_states AS
SELECT space, id, scope, created_at, known_from, 253402300799999999 AS known_to, version, name,
       description, content, tokens, limit_tokens, counted_by, overflow, read_only, deleted_at
FROM blocks
UNION ALL
SELECT b.space, b.id, b.scope, b.created_at, v.known_from, v.known_to, v.version, v.name,
       v.description, v.content, v.tokens, v.limit_tokens, v.counted_by, v.overflow, v.read_only,
       v.deleted_at
FROM block_versions AS v
JOIN blocks AS b ON b.space = v.space AND b.id = v.id;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
  ('blocks', 'sqlite_autoindex_blocks_1', '10000 10000 1'),
  ('blocks', 'blocks_one_name', '9000 9000 9 1'),
  ('blocks', 'blocks_by_name', '10000 10000 10 1'),
  ('block_versions', 'sqlite_autoindex_block_versions_1', '200000 200000 20 1');
ANALYZE sqlite_schema;
