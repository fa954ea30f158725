-- What was allowed, denied or observed when a tool was about to be used.

-- Facts count upwards in the outbox and among the vectors, decisions downwards: a decision waits and
-- is embedded as the negative of its number, and belongs there to the negative of its scope.
CREATE TABLE decisions (
  number             INTEGER PRIMARY KEY AUTOINCREMENT,  -- never given to another decision
  space              TEXT    NOT NULL,
  id                 TEXT    NOT NULL,
  scope              INTEGER NOT NULL,
  -- what was asked
  goal               TEXT    NOT NULL,
  turn               INTEGER NOT NULL,
  tool               TEXT    NOT NULL,
  input              TEXT    NOT NULL,  -- canonical JSON, secrets masked
  text               TEXT    NOT NULL,  -- what of it is compared
  -- what was decided
  choice             TEXT    NOT NULL,
  message            TEXT    NOT NULL,
  rationale          TEXT    NOT NULL,
  options            TEXT    NOT NULL,
  decided_by         TEXT    NOT NULL,
  decided_at         INTEGER NOT NULL,
  lasts              TEXT    NOT NULL,
  transient          INTEGER NOT NULL,
  recorded_at        INTEGER NOT NULL,
  -- what may change
  changed_at         INTEGER NOT NULL,
  outcome            TEXT,
  outcome_good       INTEGER,
  outcome_at         INTEGER,
  superseded_by      TEXT,
  superseded_because TEXT,
  UNIQUE (space, id),
  FOREIGN KEY (space, scope) REFERENCES scopes (space, id)
) STRICT;
CREATE INDEX decisions_newest ON decisions (space, scope, number);
CREATE INDEX decisions_by_goal ON decisions (space, scope, goal, number);
CREATE INDEX decisions_by_tool ON decisions (space, scope, tool, number);
CREATE INDEX decisions_by_age ON decisions (space, scope, decided_at);

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
  ('decisions', 'sqlite_autoindex_decisions_1', '100000 100000 1'),
  ('decisions', 'decisions_newest', '100000 100000 1000 1'),
  ('decisions', 'decisions_by_goal', '100000 100000 1000 100 1'),
  ('decisions', 'decisions_by_tool', '100000 100000 1000 200 1'),
  ('decisions', 'decisions_by_age', '100000 100000 1000 1');
ANALYZE sqlite_schema;
