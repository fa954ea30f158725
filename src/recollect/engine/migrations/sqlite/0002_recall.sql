-- What recall searches. Everything here can be made again from `facts`.

-- The terms of each fact, as the analyser cut them, and its place in the conversation it came from.
CREATE TABLE fact_texts (
  seq          INTEGER PRIMARY KEY AUTOINCREMENT,  -- never given to another fact
  space        TEXT    NOT NULL,
  fact         TEXT    NOT NULL,
  scope        INTEGER NOT NULL,
  open         INTEGER NOT NULL,
  conversation TEXT,
  position     INTEGER,
  terms        TEXT    NOT NULL,
  embeds       TEXT,
  FOREIGN KEY (space, fact) REFERENCES facts (space, id)
) STRICT;
CREATE UNIQUE INDEX fact_texts_by_fact ON fact_texts (space, fact);
CREATE INDEX fact_texts_by_place ON fact_texts (space, scope, conversation, position)
  WHERE conversation IS NOT NULL;

-- Every term carries a mark: the scope, and whether the fact is open. So a scope has terms of its own,
-- and searching and counting them costs what it costs in a file of its own.
CREATE VIRTUAL TABLE fact_terms USING fts5 (
  terms, content='', contentless_delete=1,
  tokenize="unicode61 remove_diacritics 0 categories 'L* N* M* Co'"
);
CREATE VIRTUAL TABLE fact_terms_counts USING fts5vocab (fact_terms, 'row');

CREATE TABLE embedders (
  space      TEXT    NOT NULL,
  id         INTEGER NOT NULL,
  model      TEXT    NOT NULL,
  dimensions INTEGER NOT NULL,
  serving    INTEGER NOT NULL,
  usual      REAL    NOT NULL,  -- the similarity of texts that have nothing to do with each other
  spread     REAL    NOT NULL,
  PRIMARY KEY (space, id),
  UNIQUE (space, model)
) STRICT, WITHOUT ROWID;

-- One vector per fact and model, in eight bits a dimension. `rev` grows with every change, so that
-- a process can ask for what is new; an erased vector leaves its row behind, empty.
CREATE TABLE vectors (
  space    TEXT    NOT NULL,
  embedder INTEGER NOT NULL,
  seq      INTEGER NOT NULL,
  scope    INTEGER NOT NULL,
  rev      INTEGER NOT NULL,
  vector   BLOB,
  PRIMARY KEY (space, embedder, seq),
  FOREIGN KEY (space, embedder) REFERENCES embedders (space, id)
) STRICT;
CREATE INDEX vectors_by_rev ON vectors (space, embedder, scope, rev);
CREATE INDEX vectors_newest ON vectors (space, embedder, rev);

-- Facts that wait for their vector.
CREATE TABLE outbox (
  space    TEXT    NOT NULL,
  seq      INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  due_at   INTEGER NOT NULL,
  problem  TEXT,
  PRIMARY KEY (space, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX outbox_by_due ON outbox (space, due_at);

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
  ('fact_texts', 'fact_texts_by_fact', '100000 100000 1'),
  ('fact_texts', 'fact_texts_by_place', '50000 50000 500 50 1'),
  ('embedders', 'embedders', '2 2 1'),
  ('vectors', 'sqlite_autoindex_vectors_1', '100000 100000 50000 1'),
  ('vectors', 'vectors_by_rev', '100000 100000 50000 1000 1'),
  ('vectors', 'vectors_newest', '100000 100000 50000 1'),
  ('outbox', 'outbox', '1000 1000 1'),
  ('outbox', 'outbox_by_due', '1000 1000 1');
ANALYZE sqlite_schema;
