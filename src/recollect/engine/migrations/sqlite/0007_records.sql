-- What an agent notes of its work. Every row tells since when it stands as it does (`changed_at`),
-- which is the moment of its newest entry in the audit trail; a deleted one waits to be restored.

CREATE TABLE outcomes (
  space      TEXT    NOT NULL,
  id         TEXT    NOT NULL,
  scope      INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  changed_at INTEGER NOT NULL,
  deleted_at INTEGER,
  domain     TEXT    NOT NULL,
  score      INTEGER NOT NULL,
  note       TEXT,
  source     TEXT,
  PRIMARY KEY (space, id),
  FOREIGN KEY (space, scope) REFERENCES scopes (space, id)
) STRICT;
CREATE INDEX outcomes_newest ON outcomes (space, scope, id);
CREATE INDEX outcomes_deleted ON outcomes (space, scope, deleted_at) WHERE deleted_at IS NOT NULL;

CREATE TABLE lessons (
  space       TEXT    NOT NULL,
  id          TEXT    NOT NULL,
  scope       INTEGER NOT NULL,
  created_at  INTEGER NOT NULL,
  changed_at  INTEGER NOT NULL,
  deleted_at  INTEGER,
  domain      TEXT    NOT NULL,
  rule        TEXT    NOT NULL,
  fingerprint BLOB    NOT NULL,
  occurrences INTEGER NOT NULL,
  learned_at  INTEGER NOT NULL,
  usefulness  REAL    NOT NULL,
  PRIMARY KEY (space, id),
  FOREIGN KEY (space, scope) REFERENCES scopes (space, id)
) STRICT;
-- Across processes: a rule is there once, deleted or not, since learning it again brings it back.
CREATE UNIQUE INDEX lessons_one_rule ON lessons (space, scope, domain, fingerprint);
CREATE INDEX lessons_most_useful ON lessons (space, scope, usefulness, id);
CREATE INDEX lessons_deleted ON lessons (space, scope, deleted_at) WHERE deleted_at IS NOT NULL;

CREATE TABLE observations (
  space      TEXT    NOT NULL,
  id         TEXT    NOT NULL,
  scope      INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  changed_at INTEGER NOT NULL,
  deleted_at INTEGER,
  type       TEXT    NOT NULL,
  title      TEXT    NOT NULL,
  what       TEXT,
  why        TEXT,
  place      TEXT,
  learned    TEXT,
  PRIMARY KEY (space, id),
  FOREIGN KEY (space, scope) REFERENCES scopes (space, id)
) STRICT;
CREATE INDEX observations_newest ON observations (space, scope, id);
CREATE INDEX observations_deleted ON observations (space, scope, deleted_at)
  WHERE deleted_at IS NOT NULL;

CREATE TABLE limitations (
  space       TEXT    NOT NULL,
  id          TEXT    NOT NULL,
  scope       INTEGER NOT NULL,
  created_at  INTEGER NOT NULL,
  changed_at  INTEGER NOT NULL,
  deleted_at  INTEGER,
  title       TEXT    NOT NULL,
  fingerprint BLOB    NOT NULL,
  description TEXT,
  plan        TEXT,
  reports     INTEGER NOT NULL,
  reported_at INTEGER NOT NULL,
  resolved_at INTEGER,
  resolution  TEXT,
  PRIMARY KEY (space, id),
  FOREIGN KEY (space, scope) REFERENCES scopes (space, id)
) STRICT;
-- Across processes: one open limitation of a title. What was resolved may be reported again.
CREATE UNIQUE INDEX limitations_one_open ON limitations (space, scope, fingerprint)
  WHERE resolved_at IS NULL AND deleted_at IS NULL;
CREATE INDEX limitations_newest ON limitations (space, scope, id);
CREATE INDEX limitations_deleted ON limitations (space, scope, deleted_at)
  WHERE deleted_at IS NOT NULL;

-- Calls of models. `cost` is in nano-dollars; NULL means that nobody knows the price.
CREATE TABLE usage (
  space       TEXT    NOT NULL,
  id          TEXT    NOT NULL,
  scope       INTEGER NOT NULL,
  created_at  INTEGER NOT NULL,
  changed_at  INTEGER NOT NULL,
  deleted_at  INTEGER,
  model       TEXT    NOT NULL,
  session     TEXT,
  at          INTEGER NOT NULL,
  input       INTEGER NOT NULL,
  output      INTEGER NOT NULL,
  cache_read  INTEGER NOT NULL,
  cache_write INTEGER NOT NULL,
  cost        INTEGER,
  PRIMARY KEY (space, id),
  FOREIGN KEY (space, scope) REFERENCES scopes (space, id)
) STRICT;
CREATE INDEX usage_newest ON usage (space, scope, id);
CREATE INDEX usage_by_time ON usage (space, scope, at);
CREATE INDEX usage_deleted ON usage (space, scope, deleted_at) WHERE deleted_at IS NOT NULL;

-- Which stages of onboarding a scope has been through, each once.
CREATE TABLE onboarding (
  space      TEXT    NOT NULL,
  id         TEXT    NOT NULL,
  scope      INTEGER NOT NULL,
  stage      TEXT    NOT NULL,
  reached_at INTEGER NOT NULL,
  PRIMARY KEY (space, scope, stage),
  FOREIGN KEY (space, scope) REFERENCES scopes (space, id)
) STRICT, WITHOUT ROWID;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
  ('outcomes', 'sqlite_autoindex_outcomes_1', '10000 10000 1'),
  ('outcomes', 'outcomes_newest', '10000 10000 100 1'),
  ('outcomes', 'outcomes_deleted', '100 100 10 1'),
  ('lessons', 'sqlite_autoindex_lessons_1', '10000 10000 1'),
  ('lessons', 'lessons_one_rule', '10000 10000 100 20 1'),
  ('lessons', 'lessons_most_useful', '10000 10000 100 1 1'),
  ('lessons', 'lessons_deleted', '100 100 10 1'),
  ('observations', 'sqlite_autoindex_observations_1', '10000 10000 1'),
  ('observations', 'observations_newest', '10000 10000 100 1'),
  ('observations', 'observations_deleted', '100 100 10 1'),
  ('limitations', 'sqlite_autoindex_limitations_1', '1000 1000 1'),
  ('limitations', 'limitations_one_open', '500 500 10 1'),
  ('limitations', 'limitations_newest', '1000 1000 10 1'),
  ('limitations', 'limitations_deleted', '100 100 10 1'),
  ('usage', 'sqlite_autoindex_usage_1', '100000 100000 1'),
  ('usage', 'usage_newest', '100000 100000 1000 1'),
  ('usage', 'usage_by_time', '100000 100000 1000 1'),
  ('usage', 'usage_deleted', '100 100 10 1'),
  ('onboarding', 'onboarding', '5000 5000 5 1');
ANALYZE sqlite_schema;
