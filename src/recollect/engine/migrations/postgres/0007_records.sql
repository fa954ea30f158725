-- What an agent notes of its work. Every row tells since when it stands as it does (`changed_at`),
-- which is the moment of its newest entry in the audit trail; a deleted one waits to be restored.

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
-- Across processes: a rule is there once, deleted or not, since learning it again brings it back.
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
-- Across processes: one open limitation of a title. What was resolved may be reported again.
CREATE UNIQUE INDEX limitations_one_open ON limitations (space, scope, fingerprint)
  WHERE resolved_at IS NULL AND deleted_at IS NULL;
CREATE INDEX limitations_newest ON limitations (space, scope, id);
CREATE INDEX limitations_deleted ON limitations (space, scope, deleted_at)
  WHERE deleted_at IS NOT NULL;

-- Calls of models. `cost` is in nano-dollars; NULL means that nobody knows the price.
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

-- Which stages of onboarding a scope has been through, each once.
CREATE TABLE onboarding (
  space      TEXT COLLATE "C" NOT NULL,
  id         TEXT COLLATE "C" NOT NULL,
  scope      BIGINT NOT NULL,
  stage      TEXT COLLATE "C" NOT NULL,
  reached_at BIGINT NOT NULL,
  PRIMARY KEY (space, scope, stage),
  FOREIGN KEY (space, scope) REFERENCES scopes (space, id)
);

SELECT guard(each) FROM unnest(ARRAY[
  'outcomes', 'lessons', 'observations', 'limitations', 'usage', 'onboarding']::regclass[]) AS each;
