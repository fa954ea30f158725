-- How far learning has come, what each attempt led to, and which facts may contradict each other.

ALTER TABLE messages ADD COLUMN learned_at BIGINT;  -- when learning was done with it

-- Bookkeeping, not memory: the trail does not tell of it.
CREATE TABLE learning (
  space        TEXT COLLATE "C" NOT NULL,
  conversation TEXT COLLATE "C" NOT NULL,
  scope        BIGINT NOT NULL,
  learned      BIGINT NOT NULL,  -- the position up to which was learned,
  wanted       BIGINT NOT NULL,  -- and up to which it was asked for
  tries        BIGINT NOT NULL,  -- how often the next turn has failed,
  try_at       BIGINT NOT NULL,  -- and before when it is not tried again
  holder       TEXT COLLATE "C",  -- who is at it,
  token        TEXT COLLATE "C",  -- with what to show for it,
  leased_until BIGINT NOT NULL,  -- until when nobody else is; 0: nobody is
  PRIMARY KEY (space, conversation),
  FOREIGN KEY (space, conversation) REFERENCES conversations (space, id),
  FOREIGN KEY (space, scope) REFERENCES scopes (space, id)
);
CREATE INDEX learning_waiting ON learning (space, scope, conversation) WHERE learned < wanted;

CREATE TABLE attempts (
  space        TEXT COLLATE "C" NOT NULL,
  id           TEXT COLLATE "C" NOT NULL,
  scope        BIGINT NOT NULL,
  created_at   BIGINT NOT NULL,
  changed_at   BIGINT NOT NULL,
  deleted_at   BIGINT,
  conversation TEXT COLLATE "C" NOT NULL,
  first        BIGINT NOT NULL,  -- positions in the conversation
  last         BIGINT NOT NULL,
  messages     TEXT COLLATE "C" NOT NULL,
  outcome      TEXT COLLATE "C" NOT NULL,
  method       TEXT COLLATE "C" NOT NULL,
  reason       TEXT COLLATE "C",
  input        BIGINT NOT NULL,
  output       BIGINT NOT NULL,
  cost         BIGINT,  -- in nano-dollars; NULL means that nobody knows the price
  changes      TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (space, id),
  FOREIGN KEY (space, scope) REFERENCES scopes (space, id)
);
CREATE INDEX attempts_newest ON attempts (space, scope, id);
CREATE INDEX attempts_of_conversation ON attempts (space, conversation, id);
CREATE INDEX attempts_deleted ON attempts (space, scope, deleted_at) WHERE deleted_at IS NOT NULL;

-- Two facts of which at most one may be true, until somebody settles it.
CREATE TABLE conflicts (
  space        TEXT COLLATE "C" NOT NULL,
  id           TEXT COLLATE "C" NOT NULL,
  scope        BIGINT NOT NULL,
  created_at   BIGINT NOT NULL,
  changed_at   BIGINT NOT NULL,
  deleted_at   BIGINT,
  older        TEXT COLLATE "C" NOT NULL,
  newer        TEXT COLLATE "C" NOT NULL,
  reason       TEXT COLLATE "C",
  settled_at   BIGINT,
  kept         TEXT COLLATE "C",
  resolution   TEXT COLLATE "C",
  PRIMARY KEY (space, id),
  FOREIGN KEY (space, scope) REFERENCES scopes (space, id)
);
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

SELECT guard(each) FROM unnest(ARRAY['learning', 'attempts', 'conflicts']::regclass[]) AS each;
