-- Which facts were given to prompts, and what readers thought of them. They lie apart from the facts, so
-- that asking rewrites nothing that is searched.

CREATE TABLE fact_uses (
  space   TEXT COLLATE "C" NOT NULL,
  fact    TEXT COLLATE "C" NOT NULL,
  scope   BIGINT NOT NULL,  -- of the reader
  day     BIGINT NOT NULL,  -- the last one, since 1970, in UTC
  queries BIGINT NOT NULL,  -- a bit for each question of that day, chosen by its hash
  earlier DOUBLE PRECISION NOT NULL,  -- what all days before come to, seen from that day
  PRIMARY KEY (space, fact, scope),
  FOREIGN KEY (space, fact) REFERENCES facts (space, id),
  FOREIGN KEY (space, scope) REFERENCES scopes (space, id)
);
CREATE INDEX fact_uses_by_day ON fact_uses (space, day);

CREATE TABLE feedback (
  space      TEXT COLLATE "C" NOT NULL,
  id         TEXT COLLATE "C" NOT NULL,
  scope      BIGINT NOT NULL,  -- of the reader
  fact       TEXT COLLATE "C" NOT NULL,
  useful     BIGINT NOT NULL,
  irrelevant BIGINT NOT NULL,
  changed_at BIGINT NOT NULL,
  PRIMARY KEY (space, id),
  UNIQUE (space, fact, scope),
  FOREIGN KEY (space, fact) REFERENCES facts (space, id),
  FOREIGN KEY (space, scope) REFERENCES scopes (space, id)
);
CREATE INDEX feedback_of_scope ON feedback (space, scope, id);

SELECT guard(each) FROM unnest(ARRAY['fact_uses', 'feedback']::regclass[]) AS each;
