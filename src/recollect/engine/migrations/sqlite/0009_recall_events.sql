-- Which facts were given to prompts, and what readers thought of them. They lie apart from the facts, so
-- that asking rewrites nothing that is searched.

CREATE TABLE fact_uses (
  space   TEXT    NOT NULL,
  fact    TEXT    NOT NULL,
  scope   INTEGER NOT NULL,  -- of the reader
  day     INTEGER NOT NULL,  -- the last one, since 1970, in UTC
  queries INTEGER NOT NULL,  -- a bit for each question of that day, chosen by its hash
  earlier REAL NOT NULL,  -- what all days before come to, seen from that day
  PRIMARY KEY (space, fact, scope),
  FOREIGN KEY (space, fact) REFERENCES facts (space, id),
  FOREIGN KEY (space, scope) REFERENCES scopes (space, id)
) STRICT;
CREATE INDEX fact_uses_by_day ON fact_uses (space, day);

CREATE TABLE feedback (
  space      TEXT    NOT NULL,
  id         TEXT    NOT NULL,
  scope      INTEGER NOT NULL,  -- of the reader
  fact       TEXT    NOT NULL,
  useful     INTEGER NOT NULL,
  irrelevant INTEGER NOT NULL,
  changed_at INTEGER NOT NULL,
  PRIMARY KEY (space, id),
  UNIQUE (space, fact, scope),
  FOREIGN KEY (space, fact) REFERENCES facts (space, id),
  FOREIGN KEY (space, scope) REFERENCES scopes (space, id)
) STRICT;
CREATE INDEX feedback_of_scope ON feedback (space, scope, id);

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
  ('fact_uses', 'sqlite_autoindex_fact_uses_1', '100000 100000 2 1'),
  ('fact_uses', 'fact_uses_by_day', '100000 100000 1000'),
  ('feedback', 'sqlite_autoindex_feedback_1', '1000 1000 1'),
  ('feedback', 'sqlite_autoindex_feedback_2', '1000 1000 2 1'),
  ('feedback', 'feedback_of_scope', '1000 1000 10 1');
ANALYZE sqlite_schema;
