-- Blocks: named texts that an agent edits itself, each with all its versions.

CREATE TABLE blocks (
  -- what never changes
  space        TEXT COLLATE "C" NOT NULL,
  id           TEXT COLLATE "C" NOT NULL,
  scope        BIGINT NOT NULL,
  created_at   BIGINT NOT NULL,
  -- what may change: each earlier version is kept in block_versions
  known_from   BIGINT NOT NULL,
  version      BIGINT NOT NULL,
  name         TEXT COLLATE "C" NOT NULL,
  description  TEXT COLLATE "C" NOT NULL,
  content      TEXT COLLATE "C" NOT NULL,
  tokens       BIGINT NOT NULL,
  limit_tokens BIGINT NOT NULL,
  counted_by   TEXT COLLATE "C" NOT NULL,
  overflow     TEXT COLLATE "C" NOT NULL,
  read_only    BIGINT NOT NULL,
  deleted_at   BIGINT,
  PRIMARY KEY (space, id),
  FOREIGN KEY (space, scope) REFERENCES scopes (space, id)
);

-- Across processes: at most one block of a name in a scope. Deleted ones keep theirs beside it.
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
  read_only    BIGINT NOT NULL,
  deleted_at   BIGINT,
  PRIMARY KEY (space, id, version),
  FOREIGN KEY (space, id) REFERENCES blocks (space, id)
);

-- Every version of every block, with the time during which it was the present one.
CREATE VIEW block_states WITH (security_invoker = true) AS
SELECT space, id, scope, created_at, known_from, 253402300799999999 AS known_to, version, name,
       description, content, tokens, limit_tokens, counted_by, overflow, read_only, deleted_at
FROM blocks
UNION ALL
SELECT b.space, b.id, b.scope, b.created_at, v.known_from, v.known_to, v.version, v.name,
       v.description, v.content, v.tokens, v.limit_tokens, v.counted_by, v.overflow, v.read_only,
       v.deleted_at
FROM block_versions AS v
JOIN blocks AS b ON b.space = v.space AND b.id = v.id;

SELECT guard(each) FROM unnest(ARRAY['blocks', 'block_versions']::regclass[]) AS each;
