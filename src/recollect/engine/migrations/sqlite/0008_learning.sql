-- How far learning has come, what each attempt led to, and which facts may contradict each other.

ALTER TABLE messages ADD COLUMN learned_at INTEGER;  -- when learning was done with it

-- Bookkeeping, not memory: the trail does not tell of it.
CREATE TABLE learning (
  space        TEXT    NOT NULL,
  conversation TEXT    NOT NULL,
  scope        INTEGER NOT NULL,
  learned      INTEGER NOT NULL, -- the position up to which was learned,
  wanted       INTEGER NOT NULL, -- and up to which it was asked for
  tries        INTEGER NOT NULL, -- how often the next turn has failed,
  try_at       INTEGER NOT NULL, -- and before when it is not tried again
  holder       TEXT,             -- who is at it,
  token        TEXT,             -- with what to show for it,
  leased_until INTEGER NOT NULL, -- until when nobody else is; 0: nobody is
  PRIMARY KEY (space, conversation),
  FOREIGN KEY (space, conversation) REFERENCES conversations (space, id),
  FOREIGN KEY (space, scope) REFERENCES scopes (space, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX learning_waiting ON learning (space, scope, conversation) WHERE learned < wanted;

CREATE TABLE attempts (
  space        TEXT    NOT NULL,
  id           TEXT    NOT NULL,
  scope        INTEGER NOT NULL,
  created_at   INTEGER NOT NULL,
  changed_at   INTEGER NOT NULL,
  deleted_at   INTEGER,
  conversation TEXT    NOT NULL,
  first        INTEGER NOT NULL, -- positions in the conversation
  last         INTEGER NOT NULL,
  messages     TEXT    NOT NULL,
  outcome      TEXT    NOT NULL,
  method       TEXT    NOT NULL,
  reason       TEXT,
  input        INTEGER NOT NULL,
  output       INTEGER NOT NULL,
  cost         INTEGER,          -- in nano-dollars; NULL means that nobody knows the price
  changes      TEXT    NOT NULL,
  PRIMARY KEY (space, id),
  FOREIGN KEY (space, scope) REFERENCES scopes (space, id)
) STRICT;
CREATE INDEX attempts_newest ON attempts (space, scope, id);
CREATE INDEX attempts_of_conversation ON attempts (space, conversation, id);
CREATE INDEX attempts_deleted ON attempts (space, scope, deleted_at) WHERE deleted_at IS NOT NULL;

-- Two facts of which at most one may be true, until somebody settles it.
CREATE TABLE conflicts (
  space        TEXT    NOT NULL,
  id           TEXT    NOT NULL,
  scope        INTEGER NOT NULL,
  created_at   INTEGER NOT NULL,
  changed_at   INTEGER NOT NULL,
  deleted_at   INTEGER,
  older        TEXT    NOT NULL,
  newer        TEXT    NOT NULL,
  reason       TEXT,
  settled_at   INTEGER,
  kept         TEXT,
  resolution   TEXT,
  PRIMARY KEY (space, id),
  FOREIGN KEY (space, scope) REFERENCES scopes (space, id)
) STRICT;
-- Across processes: a pair is noted once. What was settled is not asked again.
CREATE UNIQUE INDEX conflicts_one_pair ON conflicts (space, scope, older, newer);
CREATE INDEX conflicts_newest ON conflicts (space, scope, id);
CREATE INDEX conflicts_of_older ON conflicts (space, older);
CREATE INDEX conflicts_of_newer ON conflicts (space, newer);
CREATE INDEX conflicts_deleted ON conflicts (space, scope, deleted_at)
  WHERE deleted_at IS NOT NULL;

-- What came from outside and was rejected does not come back.
CREATE INDEX facts_rejected ON facts (space, scope, fingerprint)
  WHERE trust = 'quarantined' AND retired_because = 'wrong';

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
  ('learning', 'learning', '10000 10000 1'),
  ('learning', 'learning_waiting', '10000 10000 100 1'),
  ('attempts', 'sqlite_autoindex_attempts_1', '100000 100000 1'),
  ('attempts', 'attempts_newest', '100000 100000 1000 1'),
  ('attempts', 'attempts_of_conversation', '100000 100000 10 1'),
  ('attempts', 'attempts_deleted', '100 100 10 1'),
  ('conflicts', 'sqlite_autoindex_conflicts_1', '1000 1000 1'),
  ('conflicts', 'conflicts_one_pair', '1000 1000 10 2 1'),
  ('conflicts', 'conflicts_newest', '1000 1000 10 1'),
  ('conflicts', 'conflicts_of_older', '1000 1000 2'),
  ('conflicts', 'conflicts_of_newer', '1000 1000 2'),
  ('conflicts', 'conflicts_deleted', '100 100 10 1'),
  ('facts', 'facts_rejected', '1000 1000 10 1');
ANALYZE sqlite_schema;
