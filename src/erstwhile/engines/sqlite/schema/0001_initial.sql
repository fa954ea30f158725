-- Times are microseconds since 1970 in UTC; 253402300799999999 (the end of 9999) means "no end".
-- An unset scope dimension is the empty text: `IN ('', :user)` then fails closed.

CREATE TABLE scopes (
  space          TEXT    NOT NULL,
  id             INTEGER NOT NULL,
  scope_user     TEXT    NOT NULL,
  scope_agent    TEXT    NOT NULL,
  scope_project  TEXT    NOT NULL,
  scope_session  TEXT    NOT NULL,
  -- the end of this scope's audit chain
  head_seq       INTEGER NOT NULL DEFAULT 0,
  head_hash      BLOB    NOT NULL,
  digest_key     BLOB    NOT NULL,  -- for digests of inputs whose secrets are masked
  PRIMARY KEY (space, id),
  UNIQUE (space, scope_user, scope_agent, scope_project, scope_session)
) STRICT, WITHOUT ROWID;

CREATE TABLE facts (
  -- columns that never change
  space           TEXT    NOT NULL,
  id              TEXT    NOT NULL,
  scope           INTEGER NOT NULL,
  kind            TEXT    NOT NULL,
  text            TEXT    NOT NULL,
  key             TEXT,
  value           TEXT,
  fingerprint     BLOB    NOT NULL,
  origin          TEXT    NOT NULL,
  source          TEXT,
  recorded_at     INTEGER NOT NULL,
  -- columns that may change: each earlier state is kept in fact_versions
  known_from      INTEGER NOT NULL,
  trust           TEXT    NOT NULL,
  confidence      REAL    NOT NULL,
  tier            TEXT    NOT NULL,
  evidence        INTEGER NOT NULL,
  valid_from      INTEGER NOT NULL,
  valid_to        INTEGER NOT NULL,
  expires_at      INTEGER NOT NULL,
  retired_at      INTEGER,
  ending TEXT,
  supersedes      TEXT    NOT NULL,
  superseded_by   TEXT,
  pinned          INTEGER NOT NULL,
  entities        TEXT    NOT NULL,
  relations       TEXT    NOT NULL,
  tags            TEXT    NOT NULL,
  metadata        TEXT    NOT NULL,
  deleted_at      INTEGER,
  PRIMARY KEY (space, id),
  FOREIGN KEY (space, scope) REFERENCES scopes (space, id)
) STRICT;

-- For all processes: at most one open fact with the same text, and one open value of a key.
CREATE UNIQUE INDEX facts_one_twin ON facts (space, scope, kind, fingerprint)
  WHERE retired_at IS NULL AND deleted_at IS NULL;
CREATE UNIQUE INDEX facts_one_value ON facts (space, scope, key)
  WHERE key IS NOT NULL AND retired_at IS NULL AND deleted_at IS NULL;
CREATE INDEX facts_by_key ON facts (space, scope, key) WHERE key IS NOT NULL;
CREATE INDEX facts_newest ON facts (space, scope, id);
CREATE INDEX facts_by_successor ON facts (space, superseded_by) WHERE superseded_by IS NOT NULL;
CREATE INDEX facts_deleted ON facts (space, scope, deleted_at) WHERE deleted_at IS NOT NULL;

CREATE TABLE fact_versions (
  space           TEXT    NOT NULL,
  id              TEXT    NOT NULL,
  known_from      INTEGER NOT NULL,
  known_to        INTEGER NOT NULL,
  kind            TEXT    NOT NULL,
  trust           TEXT    NOT NULL,
  confidence      REAL    NOT NULL,
  tier            TEXT    NOT NULL,
  evidence        INTEGER NOT NULL,
  valid_from      INTEGER NOT NULL,
  valid_to        INTEGER NOT NULL,
  expires_at      INTEGER NOT NULL,
  retired_at      INTEGER,
  ending TEXT,
  supersedes      TEXT    NOT NULL,
  superseded_by   TEXT,
  pinned          INTEGER NOT NULL,
  entities        TEXT    NOT NULL,
  relations       TEXT    NOT NULL,
  tags            TEXT    NOT NULL,
  metadata        TEXT    NOT NULL,
  deleted_at      INTEGER,
  PRIMARY KEY (space, id, known_from),
  FOREIGN KEY (space, id) REFERENCES facts (space, id)
) STRICT, WITHOUT ROWID;

-- All states of each fact, with the period in which the store knew each state.
CREATE VIEW fact_states AS
SELECT space, id, scope, kind, text, key, value, origin, source, recorded_at,
       known_from, 253402300799999999 AS known_to,
       trust, confidence, tier, evidence, valid_from, valid_to, expires_at, retired_at,
       ending, supersedes, superseded_by, pinned, entities, relations, tags, metadata,
       deleted_at
FROM facts
UNION ALL
SELECT f.space, f.id, f.scope, v.kind, f.text, f.key, f.value, f.origin, f.source, f.recorded_at,
       v.known_from, v.known_to,
       v.trust, v.confidence, v.tier, v.evidence, v.valid_from, v.valid_to, v.expires_at,
       v.retired_at, v.ending, v.supersedes, v.superseded_by, v.pinned, v.entities,
       v.relations, v.tags, v.metadata, v.deleted_at
FROM fact_versions AS v
JOIN facts AS f ON f.space = v.space AND f.id = v.id;

-- An index of tags, derived from `facts.tags`.
CREATE TABLE fact_tags (
  space TEXT    NOT NULL,
  scope INTEGER NOT NULL,
  tag   TEXT    NOT NULL,
  fact  TEXT    NOT NULL,
  since INTEGER NOT NULL,
  PRIMARY KEY (space, scope, tag, fact),
  FOREIGN KEY (space, fact) REFERENCES facts (space, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX fact_tags_by_fact ON fact_tags (space, fact);

CREATE TABLE entities (
  space TEXT    NOT NULL,
  id    TEXT    NOT NULL,
  scope INTEGER NOT NULL,
  name  TEXT    NOT NULL,
  PRIMARY KEY (space, id),
  FOREIGN KEY (space, scope) REFERENCES scopes (space, id)
) STRICT, WITHOUT ROWID;

-- The name and the aliases of an entity, folded for comparison.
CREATE TABLE entity_names (
  space  TEXT    NOT NULL,
  scope  INTEGER NOT NULL,
  folded TEXT    NOT NULL,
  entity TEXT    NOT NULL,
  name   TEXT    NOT NULL,
  PRIMARY KEY (space, scope, folded),
  FOREIGN KEY (space, entity) REFERENCES entities (space, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX entity_names_by_entity ON entity_names (space, entity);

-- The entities that each fact mentions. These rows have no state of their own: they follow their facts.
CREATE TABLE fact_entities (
  space  TEXT    NOT NULL,
  entity TEXT    NOT NULL,
  fact   TEXT    NOT NULL,
  since  INTEGER NOT NULL,
  PRIMARY KEY (space, entity, fact),
  FOREIGN KEY (space, entity) REFERENCES entities (space, id),
  FOREIGN KEY (space, fact) REFERENCES facts (space, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX fact_entities_by_fact ON fact_entities (space, fact);

CREATE TABLE relations (
  space     TEXT    NOT NULL,
  fact      TEXT    NOT NULL,
  subject   TEXT    NOT NULL,
  predicate TEXT    NOT NULL,
  object    TEXT    NOT NULL,
  since     INTEGER NOT NULL,
  PRIMARY KEY (space, fact, subject, predicate, object),
  FOREIGN KEY (space, fact) REFERENCES facts (space, id),
  FOREIGN KEY (space, subject) REFERENCES entities (space, id),
  FOREIGN KEY (space, object) REFERENCES entities (space, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX relations_by_subject ON relations (space, subject);
CREATE INDEX relations_by_object ON relations (space, object);

CREATE TABLE audit (
  number  INTEGER PRIMARY KEY,
  space   TEXT    NOT NULL,
  scope   INTEGER NOT NULL,
  seq     INTEGER NOT NULL,
  at      INTEGER NOT NULL,
  actor   TEXT    NOT NULL,
  action  TEXT    NOT NULL,
  subject TEXT    NOT NULL,
  reason  TEXT,
  nonce   BLOB,
  digest  BLOB    NOT NULL,
  hash    BLOB    NOT NULL,
  sealed  INTEGER NOT NULL DEFAULT 0,  -- the end of the sealed part that keeps this entry
  FOREIGN KEY (space, scope) REFERENCES scopes (space, id)
) STRICT;
CREATE UNIQUE INDEX audit_chain ON audit (space, scope, seq);
CREATE INDEX audit_by_subject ON audit (space, subject);
CREATE INDEX audit_unfinished ON audit (space, number) WHERE action = 'erase' AND nonce IS NOT NULL;

-- The search index. All of it can be built again from the records.

-- The passages of facts, messages, observations, lessons and summaries. Words and vectors compare
-- passages. A short record has one passage.
CREATE TABLE passages (
  seq          INTEGER PRIMARY KEY AUTOINCREMENT,  -- never used again
  space        TEXT    NOT NULL,
  kind         TEXT    NOT NULL,
  record       TEXT    NOT NULL,
  number       INTEGER NOT NULL,  -- the place in the record, from 0
  passages     INTEGER NOT NULL,  -- the number of passages of the record
  start        INTEGER NOT NULL,  -- in characters of the record's text
  length       INTEGER NOT NULL,
  partition    INTEGER NOT NULL,
  open         INTEGER NOT NULL,  -- whether the record is not ended and trusted
  conversation TEXT,
  position     INTEGER,           -- the place of the record in its conversation
  embedded     INTEGER NOT NULL,  -- whether it gets a vector
  asks         INTEGER NOT NULL,  -- the percentage of a short record that only asks
  terms        TEXT    NOT NULL,
  stored       TEXT               -- its text, if it is not a part of one column of the record
) STRICT;
CREATE UNIQUE INDEX passages_of_record ON passages (space, record, number);
CREATE INDEX passages_by_place ON passages (space, partition, conversation, position)
  WHERE conversation IS NOT NULL;

-- A partition holds the passages of one group of records (facts, messages, notes) in one scope. Its
-- number is four times the number of the scope, plus the number of the group.
CREATE TABLE partitions (
  space    TEXT    NOT NULL,
  id       INTEGER NOT NULL,
  scope    INTEGER NOT NULL,
  changes  INTEGER NOT NULL,
  passages INTEGER NOT NULL,
  terms    INTEGER NOT NULL,  -- the number of terms of all its passages
  PRIMARY KEY (space, id),
  FOREIGN KEY (space, scope) REFERENCES scopes (space, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX partitions_of_scope ON partitions (space, scope);

-- Each term is marked with the partition, and with whether the record is open. So every partition has its own
-- terms, and searching and counting them is as fast as in a separate file.
CREATE VIRTUAL TABLE passage_terms USING fts5 (
  terms, content='', contentless_delete=1,
  tokenize="unicode61 remove_diacritics 0 categories 'L* N* M* Co'"
);
CREATE VIRTUAL TABLE passage_terms_counts USING fts5vocab (passage_terms, 'row');

CREATE TABLE embedders (
  space      TEXT    NOT NULL,
  id         INTEGER NOT NULL,
  model      TEXT    NOT NULL,
  dimensions INTEGER NOT NULL,
  serving    INTEGER NOT NULL,
  usual      REAL    NOT NULL,  -- the mean similarity of unrelated texts
  spread     REAL    NOT NULL,
  PRIMARY KEY (space, id),
  UNIQUE (space, model, dimensions)
) STRICT, WITHOUT ROWID;

-- One vector for each passage, decision and model, with eight bits per dimension. `rev` grows with every
-- change of a partition, so that a process can read only the changes. An erased vector leaves an empty row.
CREATE TABLE vectors (
  space    TEXT    NOT NULL,
  embedder INTEGER NOT NULL,
  seq      INTEGER NOT NULL,
  partition    INTEGER NOT NULL,
  rev      INTEGER NOT NULL,
  vector   BLOB,
  PRIMARY KEY (space, embedder, seq),
  FOREIGN KEY (space, embedder) REFERENCES embedders (space, id)
) STRICT;
CREATE INDEX vectors_by_rev ON vectors (space, embedder, partition, rev);

-- Passages and decisions that wait for their vector.
CREATE TABLE outbox (
  space    TEXT    NOT NULL,
  seq      INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  due_at   INTEGER NOT NULL,
  problem  TEXT,
  PRIMARY KEY (space, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX outbox_by_due ON outbox (space, due_at);

-- Blocks: named texts that an agent edits itself, each with all its versions.

CREATE TABLE blocks (
  -- columns that never change
  space        TEXT    NOT NULL,
  id           TEXT    NOT NULL,
  scope        INTEGER NOT NULL,
  created_at   INTEGER NOT NULL,
  -- columns that may change: each earlier version is kept in block_versions
  known_from   INTEGER NOT NULL,
  version      INTEGER NOT NULL,
  name         TEXT    NOT NULL,
  description  TEXT    NOT NULL,
  content      TEXT    NOT NULL,
  tokens       INTEGER NOT NULL,
  limit_tokens INTEGER NOT NULL,
  counted_by   TEXT    NOT NULL,
  overflow     TEXT    NOT NULL,
  moved        INTEGER NOT NULL,  -- characters that this version moved to the archive
  archived     INTEGER NOT NULL,  -- parts in the archive
  read_only    INTEGER NOT NULL,
  deleted_at   INTEGER,
  PRIMARY KEY (space, id),
  FOREIGN KEY (space, scope) REFERENCES scopes (space, id)
) STRICT;

-- For all processes: at most one block of a name in a scope. Deleted blocks keep their names.
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
  moved        INTEGER NOT NULL,  -- characters that this version moved to the archive
  archived     INTEGER NOT NULL,  -- parts in the archive
  read_only    INTEGER NOT NULL,
  deleted_at   INTEGER,
  PRIMARY KEY (space, id, version),
  FOREIGN KEY (space, id) REFERENCES blocks (space, id)
) STRICT;

-- All versions of each block, with the period in which each version was the present one.
CREATE VIEW block_states AS
SELECT space, id, scope, created_at, known_from, 253402300799999999 AS known_to, version, name,
       description, content, tokens, limit_tokens, counted_by, overflow, moved, archived,
       read_only, deleted_at
FROM blocks
UNION ALL
SELECT b.space, b.id, b.scope, b.created_at, v.known_from, v.known_to, v.version, v.name,
       v.description, v.content, v.tokens, v.limit_tokens, v.counted_by, v.overflow, v.moved,
       v.archived, v.read_only, v.deleted_at
FROM block_versions AS v
JOIN blocks AS b ON b.space = v.space AND b.id = v.id;

-- Decisions: tool calls that were allowed, denied or observed.

-- In the outbox and in the vectors, passages have positive numbers and decisions negative ones: the
-- negative of the number of the decision, in a partition of its own.
CREATE TABLE decisions (
  number             INTEGER PRIMARY KEY AUTOINCREMENT,  -- never used again
  space              TEXT    NOT NULL,
  id                 TEXT    NOT NULL,
  scope              INTEGER NOT NULL,
  key                TEXT    NOT NULL,  -- the caller's own name for it
  -- the request
  goal               TEXT    NOT NULL,  -- secrets masked
  goal_digest        BLOB    NOT NULL,  -- keyed digest of the goal as it was
  turn               INTEGER NOT NULL,
  tool               TEXT    NOT NULL,
  input              TEXT    NOT NULL,  -- canonical JSON, secrets masked
  digest             BLOB    NOT NULL,  -- keyed digest of the tool and the input as they were
  covers             TEXT    NOT NULL,  -- the whole input, or every input with the same fields
  text               TEXT    NOT NULL,  -- the text of the input that is compared
  -- the decision
  choice             TEXT    NOT NULL,
  message            TEXT    NOT NULL,
  rationale          TEXT    NOT NULL,
  options            TEXT    NOT NULL,
  decided_by         TEXT    NOT NULL,
  decided_at         INTEGER NOT NULL,
  lasts              TEXT    NOT NULL,
  transient          INTEGER NOT NULL,
  recorded_at        INTEGER NOT NULL,
  -- columns that may change
  changed_at         INTEGER NOT NULL,
  outcome            TEXT,
  outcome_good       INTEGER,
  outcome_at         INTEGER,
  superseded_by      TEXT,
  superseded_because TEXT,
  deleted_at         INTEGER,
  trusted            INTEGER NOT NULL,  -- 0: the word of a person that came with a file
  UNIQUE (space, id),
  UNIQUE (space, scope, key),
  FOREIGN KEY (space, scope) REFERENCES scopes (space, id)
) STRICT;
CREATE INDEX decisions_newest ON decisions (space, scope, id);
CREATE INDEX decisions_by_goal ON decisions (space, scope, goal, id);
CREATE INDEX decisions_by_tool ON decisions (space, scope, tool, id);
CREATE INDEX decisions_judged ON decisions (space, scope, tool) WHERE choice <> 'observe';
CREATE INDEX decisions_by_age ON decisions (space, scope, decided_at);
CREATE INDEX decisions_deleted ON decisions (space, scope, deleted_at)
  WHERE deleted_at IS NOT NULL;

-- Conversations, sessions of other programs, and identities of people.

CREATE TABLE conversations (
  space        TEXT    NOT NULL,
  id           TEXT    NOT NULL,
  scope        INTEGER NOT NULL,
  channel      TEXT    NOT NULL,
  started_at   INTEGER NOT NULL,
  parent       TEXT,             -- the conversation of which it is a branch
  branched_at  TEXT,             -- the last message that both contain
  metadata     TEXT    NOT NULL,
  -- columns that may change; the audit trail records each change
  closed_at    INTEGER,
  summary      TEXT,
  deleted_at   INTEGER,
  changed_at   INTEGER NOT NULL,
  -- derived from the messages
  active_at    INTEGER NOT NULL,
  messages     INTEGER NOT NULL,
  PRIMARY KEY (space, id),
  FOREIGN KEY (space, scope) REFERENCES scopes (space, id)
) STRICT;
CREATE INDEX conversations_newest ON conversations (space, scope, id);
CREATE INDEX conversations_open ON conversations (space, scope, channel, active_at)
  WHERE closed_at IS NULL AND deleted_at IS NULL;
CREATE INDEX conversations_deleted ON conversations (space, scope, deleted_at)
  WHERE deleted_at IS NOT NULL;

-- `position` orders the messages of a conversation, `number` orders all messages. Times do not.
CREATE TABLE messages (
  number       INTEGER PRIMARY KEY AUTOINCREMENT,  -- never used again
  space        TEXT    NOT NULL,
  id           TEXT    NOT NULL,
  scope        INTEGER NOT NULL,
  conversation TEXT    NOT NULL,
  position     INTEGER NOT NULL,
  role         TEXT    NOT NULL CHECK (role IN ('user', 'assistant', 'system', 'tool')),
  content      TEXT    NOT NULL,
  said_at      INTEGER NOT NULL,
  metadata     TEXT    NOT NULL,
  key          TEXT,             -- the idempotency key of the call: a retry stores nothing
  origin       TEXT    NOT NULL, -- its own id; for a copy in a branch, the id of the original
  undone_at    INTEGER,
  changed_at   INTEGER NOT NULL,
  learned_at   INTEGER,          -- the time when learning finished it
  FOREIGN KEY (space, conversation) REFERENCES conversations (space, id)
) STRICT;
CREATE UNIQUE INDEX messages_by_id ON messages (space, id);
CREATE UNIQUE INDEX messages_by_position ON messages (space, conversation, position);
CREATE UNIQUE INDEX messages_by_key ON messages (space, scope, key, role) WHERE key IS NOT NULL;
CREATE INDEX messages_of_scope ON messages (space, scope, number);
CREATE INDEX messages_by_origin ON messages (space, origin);
CREATE INDEX messages_of_tools ON messages (space, conversation, position) WHERE role = 'tool';

-- A summary of a range of messages. The messages are kept.
CREATE TABLE compactions (
  space        TEXT    NOT NULL,
  id           TEXT    NOT NULL,
  scope        INTEGER NOT NULL,
  conversation TEXT    NOT NULL,
  first        INTEGER NOT NULL,
  last         INTEGER NOT NULL,
  summary      TEXT    NOT NULL,
  created_at   INTEGER NOT NULL,
  undone_at    INTEGER,
  changed_at   INTEGER NOT NULL,
  PRIMARY KEY (space, id),
  FOREIGN KEY (space, conversation) REFERENCES conversations (space, id)
) STRICT;
CREATE UNIQUE INDEX compactions_once ON compactions (space, conversation, last)
  WHERE undone_at IS NULL;
CREATE INDEX compactions_of_conversation ON compactions (space, conversation, last);
CREATE INDEX compactions_of_scope ON compactions (space, scope, id);

-- Ids that other programs gave to their sessions.
CREATE TABLE sessions (
  space       TEXT    NOT NULL,
  id          TEXT    NOT NULL,
  scope       INTEGER NOT NULL,
  channel     TEXT    NOT NULL,
  external    TEXT    NOT NULL,
  changed_at  INTEGER NOT NULL,
  PRIMARY KEY (space, id),
  UNIQUE (space, scope, channel),
  FOREIGN KEY (space, scope) REFERENCES scopes (space, id)
) STRICT;

-- Other names of a person; a person's name may itself be an alias.
CREATE TABLE identities (
  space       TEXT    NOT NULL,
  id          TEXT    NOT NULL,
  scope       INTEGER NOT NULL,
  alias       TEXT    NOT NULL,
  person      TEXT    NOT NULL,
  changed_at  INTEGER NOT NULL,
  PRIMARY KEY (space, id),
  UNIQUE (space, scope, alias),
  FOREIGN KEY (space, scope) REFERENCES scopes (space, id)
) STRICT;
CREATE INDEX identities_of_scope ON identities (space, scope, id);
CREATE INDEX identities_by_person ON identities (space, scope, person);

-- Tasks with their runs, and checkpoints of runs with several phases.

CREATE TABLE tasks (
  space         TEXT    NOT NULL,
  id            TEXT    NOT NULL,
  scope         INTEGER NOT NULL,
  created_at    INTEGER NOT NULL,
  changed_at    INTEGER NOT NULL,
  deleted_at    INTEGER,
  description   TEXT    NOT NULL,
  type          TEXT    NOT NULL,
  status        TEXT    NOT NULL,
  due_at        INTEGER NOT NULL,
  occurrence_at INTEGER NOT NULL,
  anchor        TEXT    NOT NULL,  -- a wall-clock time in its zone
  time_zone     TEXT    NOT NULL,
  recurrence    TEXT,
  reply_to      TEXT,
  metadata      TEXT    NOT NULL,
  retries       INTEGER NOT NULL,
  attempts      INTEGER NOT NULL,
  last_error    TEXT,
  run           TEXT,
  worker        TEXT,
  lease_until   INTEGER,
  -- derived from the other columns
  fingerprint   BLOB    NOT NULL,
  terms         TEXT    NOT NULL,
  PRIMARY KEY (space, id),
  FOREIGN KEY (space, scope) REFERENCES scopes (space, id)
) STRICT;
-- For all processes: no two open tasks have the same details.
CREATE UNIQUE INDEX tasks_one_twin ON tasks (space, scope, fingerprint)
  WHERE status IN ('pending', 'claimed') AND deleted_at IS NULL;
CREATE INDEX tasks_waiting ON tasks (space, scope, due_at, id)
  WHERE status = 'pending' AND deleted_at IS NULL;
CREATE INDEX tasks_leased ON tasks (space, scope, lease_until, id)
  WHERE status = 'claimed' AND deleted_at IS NULL;
CREATE INDEX tasks_by_time ON tasks (space, scope, due_at, id);
CREATE INDEX tasks_newest ON tasks (space, scope, id);
CREATE INDEX tasks_deleted ON tasks (space, scope, deleted_at) WHERE deleted_at IS NOT NULL;

-- One row for each attempt. Finishing it needs the token.
CREATE TABLE task_runs (
  space         TEXT    NOT NULL,
  id            TEXT    NOT NULL,
  scope         INTEGER NOT NULL,
  task          TEXT    NOT NULL,
  token         TEXT    NOT NULL,
  status        TEXT    NOT NULL,
  attempt       INTEGER NOT NULL,
  worker        TEXT    NOT NULL,
  occurrence_at INTEGER NOT NULL,
  started_at    INTEGER NOT NULL,
  finished_at   INTEGER,
  changed_at    INTEGER NOT NULL,
  result        TEXT,
  error         TEXT,
  tokens_used   INTEGER,
  PRIMARY KEY (space, id),
  FOREIGN KEY (space, task) REFERENCES tasks (space, id)
) STRICT;
CREATE INDEX task_runs_of_task ON task_runs (space, task, id);
CREATE INDEX task_runs_of_scope ON task_runs (space, scope, id);
CREATE UNIQUE INDEX task_runs_by_token ON task_runs (space, token);

-- The progress of a run: a row for each phase, in the order in which the phases were first named.
CREATE TABLE checkpoints (
  space      TEXT    NOT NULL,
  id         TEXT    NOT NULL,
  scope      INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  changed_at INTEGER NOT NULL,
  deleted_at INTEGER,
  run        TEXT    NOT NULL,
  phase      TEXT    NOT NULL,
  position   INTEGER NOT NULL,
  status     TEXT    NOT NULL,
  attempts   INTEGER NOT NULL,
  output     TEXT,
  error      TEXT,
  PRIMARY KEY (space, id),
  FOREIGN KEY (space, scope) REFERENCES scopes (space, id)
) STRICT;
-- For all processes: a run has each phase once.
CREATE UNIQUE INDEX checkpoints_one_phase ON checkpoints (space, scope, run, phase)
  WHERE deleted_at IS NULL;
CREATE INDEX checkpoints_in_order ON checkpoints (space, scope, run, position);
CREATE INDEX checkpoints_newest ON checkpoints (space, scope, id);
CREATE INDEX checkpoints_deleted ON checkpoints (space, scope, deleted_at)
  WHERE deleted_at IS NOT NULL;

-- Snapshots: named moments of the recorded time. The states of that moment are in the versions.
CREATE TABLE snapshots (
  space       TEXT    NOT NULL,
  id          TEXT    NOT NULL,
  scope       INTEGER NOT NULL,
  created_at  INTEGER NOT NULL,
  changed_at  INTEGER NOT NULL,
  deleted_at  INTEGER,
  name        TEXT    NOT NULL,
  at          INTEGER NOT NULL,
  description TEXT    NOT NULL,
  PRIMARY KEY (space, id),
  FOREIGN KEY (space, scope) REFERENCES scopes (space, id)
) STRICT;
-- For all processes: a scope has one snapshot of a name.
CREATE UNIQUE INDEX snapshots_one_name ON snapshots (space, scope, name)
  WHERE deleted_at IS NULL;
CREATE INDEX snapshots_by_name ON snapshots (space, scope, name);
CREATE INDEX snapshots_newest ON snapshots (space, scope, id);
CREATE INDEX snapshots_deleted ON snapshots (space, scope, deleted_at)
  WHERE deleted_at IS NOT NULL;

-- Records of an agent's work. `changed_at` is the time of the last change of a row, which is the time
-- of its newest audit entry. A deleted record can be restored.

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
-- For all processes: a rule is stored once, deleted or not. Adding it again restores it.
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
-- For all processes: one open limitation of a title. A resolved limitation may be added again.
CREATE UNIQUE INDEX limitations_one_open ON limitations (space, scope, fingerprint)
  WHERE resolved_at IS NULL AND deleted_at IS NULL;
CREATE INDEX limitations_newest ON limitations (space, scope, id);
CREATE INDEX limitations_deleted ON limitations (space, scope, deleted_at)
  WHERE deleted_at IS NOT NULL;

-- Calls of models. `cost` is in nano-dollars; NULL means that the price is unknown.
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

-- The stages of onboarding that a scope has reached, each once.
CREATE TABLE onboarding (
  space      TEXT    NOT NULL,
  id         TEXT    NOT NULL,
  scope      INTEGER NOT NULL,
  stage      TEXT    NOT NULL,
  reached_at INTEGER NOT NULL,
  PRIMARY KEY (space, scope, stage),
  FOREIGN KEY (space, scope) REFERENCES scopes (space, id)
) STRICT, WITHOUT ROWID;

-- The progress of learning, its attempts, and conflicts between facts.

-- The queue of learning. It is not part of the audit trail.
CREATE TABLE learning (
  space        TEXT    NOT NULL,
  conversation TEXT    NOT NULL,
  scope        INTEGER NOT NULL,
  learned      INTEGER NOT NULL, -- the last position that was learned from
  wanted       INTEGER NOT NULL, -- the last position for which learning was requested
  tries        INTEGER NOT NULL, -- the number of failures of the next turn
  try_at       INTEGER NOT NULL, -- the earliest time of the next try
  holder       TEXT,             -- the process with the lease
  token        TEXT,             -- the token that proves the lease
  leased_until INTEGER NOT NULL, -- the end of the lease; 0 without a lease
  with_model   INTEGER NOT NULL DEFAULT 0, -- whether the requester has a language model
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
  cost         INTEGER,          -- in nano-dollars; NULL means that the price is unknown
  changes      TEXT    NOT NULL,
  proposals    TEXT    NOT NULL, -- the words of the changes; '[]' after an erasure
  PRIMARY KEY (space, id),
  FOREIGN KEY (space, scope) REFERENCES scopes (space, id)
) STRICT;
CREATE INDEX attempts_newest ON attempts (space, scope, id);
CREATE INDEX attempts_of_conversation ON attempts (space, conversation, id);
CREATE INDEX attempts_deleted ON attempts (space, scope, deleted_at) WHERE deleted_at IS NOT NULL;

-- Conflicts: two facts that may contradict each other, until a person settles it.
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
-- For all processes: a pair is stored once. A settled conflict is not opened again.
CREATE UNIQUE INDEX conflicts_one_pair ON conflicts (space, scope, older, newer);
CREATE INDEX conflicts_newest ON conflicts (space, scope, id);
CREATE INDEX conflicts_of_older ON conflicts (space, older);
CREATE INDEX conflicts_of_newer ON conflicts (space, newer);
CREATE INDEX conflicts_deleted ON conflicts (space, scope, deleted_at)
  WHERE deleted_at IS NOT NULL;

-- Finds rejected facts, so that neither agents nor sources from outside store them again.
CREATE INDEX facts_rejected ON facts (space, scope, id)
  WHERE ending = 'wrong';

-- The use of facts in prompts, and the feedback on them. They are in separate tables, so that a query
-- does not rewrite indexed rows. They belong to the reader: a reader's data may come from another store
-- without the shared facts that the reader used. So their fact is not a foreign key.

CREATE TABLE fact_uses (
  space   TEXT    NOT NULL,
  fact    TEXT    NOT NULL,
  scope   INTEGER NOT NULL,  -- the scope of the reader
  day     INTEGER NOT NULL,  -- the last day of use: days since 1970 in UTC
  queries INTEGER NOT NULL,  -- a bit for each query of that day, chosen by its hash
  earlier REAL NOT NULL,  -- the use of all earlier days, with decay up to that day
  PRIMARY KEY (space, fact, scope),
  FOREIGN KEY (space, scope) REFERENCES scopes (space, id)
) STRICT;
CREATE INDEX fact_uses_by_day ON fact_uses (space, day);

CREATE TABLE feedback (
  space      TEXT    NOT NULL,
  id         TEXT    NOT NULL,
  scope      INTEGER NOT NULL,  -- the scope of the reader
  fact       TEXT    NOT NULL,
  useful     INTEGER NOT NULL,
  irrelevant INTEGER NOT NULL,
  changed_at INTEGER NOT NULL,
  PRIMARY KEY (space, id),
  UNIQUE (space, fact, scope),
  FOREIGN KEY (space, scope) REFERENCES scopes (space, id)
) STRICT;
CREATE INDEX feedback_of_scope ON feedback (space, scope, id);

-- Facts that do not depend on the query: pinned facts, standing instructions, and facts about people,
-- project and environment.

CREATE INDEX facts_pinned ON facts (space, scope, id) WHERE pinned = 1;
CREATE INDEX facts_standing ON facts (space, scope, kind, id)
  WHERE kind IN ('profile', 'instruction', 'project', 'environment');

-- Finds ended facts, so that an older conversation does not state them again.
CREATE INDEX facts_ended ON facts (space, scope, fingerprint) WHERE retired_at IS NOT NULL;

-- The lease of the process that maintains this memory, and the end of the last maintenance.
CREATE TABLE maintenance (
  space        TEXT    NOT NULL,
  token        TEXT    NOT NULL,
  leased_until INTEGER NOT NULL,
  finished_at  INTEGER,
  PRIMARY KEY (space)
) STRICT, WITHOUT ROWID;

-- The changes that a client asked for with a key of its own, so that a repeated request changes nothing.
CREATE TABLE requests (
  space   TEXT    NOT NULL,
  key     TEXT    NOT NULL,  -- a hash of the key, the sender and the scope
  digest  TEXT    NOT NULL,  -- a hash of the request
  claim   TEXT    NOT NULL,  -- the try that carried it out
  made_at INTEGER NOT NULL,
  answer  TEXT,              -- empty if it is not kept
  PRIMARY KEY (space, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX requests_by_time ON requests (space, made_at);

-- Planner statistics of a medium-sized file: the number of rows, then the rows for each value of the
-- first key column, of the first two, and so on. One file is one space, so `space` selects nothing.
-- Without these statistics SQLite takes `space` for selective and scans whole tables.
ANALYZE sqlite_schema;
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
  ('scopes', 'scopes', '1000 1000 1'),
  ('scopes', 'sqlite_autoindex_scopes_2', '1000 1000 100 50 20 1'),
  ('facts', 'sqlite_autoindex_facts_1', '100000 100000 1'),
  ('facts', 'facts_one_twin', '90000 90000 900 100 1'),
  ('facts', 'facts_one_value', '5000 5000 50 1'),
  ('facts', 'facts_by_key', '10000 10000 100 2'),
  ('facts', 'facts_newest', '100000 100000 1000 1'),
  ('facts', 'facts_by_successor', '10000 10000 1'),
  ('facts', 'facts_deleted', '1000 1000 10 1'),
  ('fact_versions', 'fact_versions', '50000 50000 2 1'),
  ('fact_tags', 'fact_tags', '100000 100000 1000 10 1'),
  ('fact_tags', 'fact_tags_by_fact', '100000 100000 2'),
  ('entities', 'entities', '10000 10000 1'),
  ('entity_names', 'entity_names', '12000 12000 120 1'),
  ('entity_names', 'entity_names_by_entity', '12000 12000 1'),
  ('fact_entities', 'fact_entities', '100000 100000 10 1'),
  ('fact_entities', 'fact_entities_by_fact', '100000 100000 2'),
  ('relations', 'relations', '50000 50000 2 1 1 1'),
  ('relations', 'relations_by_subject', '50000 50000 5'),
  ('relations', 'relations_by_object', '50000 50000 5'),
  ('audit', 'audit_chain', '150000 150000 1500 1'),
  ('audit', 'audit_by_subject', '150000 150000 2'),
  ('audit', 'audit_unfinished', '10 10 1'),
  ('passages', 'passages_of_record', '500000 500000 2 1'),
  ('passages', 'passages_by_place', '400000 400000 1000 50 2'),
  ('partitions', 'partitions', '3000 3000 1'),
  ('partitions', 'partitions_of_scope', '3000 3000 3'),
  ('embedders', 'embedders', '2 2 1'),
  ('vectors', 'sqlite_autoindex_vectors_1', '500000 500000 250000 1'),
  ('vectors', 'vectors_by_rev', '500000 500000 250000 1000 1'),
  ('outbox', 'outbox', '1000 1000 1'),
  ('outbox', 'outbox_by_due', '1000 1000 1'),
  ('requests', 'requests', '10000 10000 1'),
  ('requests', 'requests_by_time', '10000 10000 1'),
  ('blocks', 'sqlite_autoindex_blocks_1', '10000 10000 1'),
  ('blocks', 'blocks_one_name', '9000 9000 9 1'),
  ('blocks', 'blocks_by_name', '10000 10000 10 1'),
  ('block_versions', 'sqlite_autoindex_block_versions_1', '200000 200000 20 1'),
  ('decisions', 'sqlite_autoindex_decisions_1', '100000 100000 1'),
  ('decisions', 'sqlite_autoindex_decisions_2', '100000 100000 1000 1'),
  ('decisions', 'decisions_judged', '10000 10000 100 20'),
  ('decisions', 'decisions_newest', '100000 100000 1000 1'),
  ('decisions', 'decisions_by_goal', '100000 100000 1000 100 1'),
  ('decisions', 'decisions_by_tool', '100000 100000 1000 200 1'),
  ('decisions', 'decisions_by_age', '100000 100000 1000 1'),
  ('decisions', 'decisions_deleted', '100 100 10 1'),
  ('conversations', 'sqlite_autoindex_conversations_1', '10000 10000 1'),
  ('conversations', 'conversations_newest', '10000 10000 100 1'),
  ('conversations', 'conversations_open', '1000 1000 10 5 1'),
  ('conversations', 'conversations_deleted', '100 100 10 1'),
  ('messages', 'messages_by_id', '200000 200000 1'),
  ('messages', 'messages_by_position', '200000 200000 20 1'),
  ('messages', 'messages_by_key', '100000 100000 1000 2 1'),
  ('messages', 'messages_of_scope', '200000 200000 2000 1'),
  ('messages', 'messages_by_origin', '200000 200000 1'),
  ('compactions', 'sqlite_autoindex_compactions_1', '1000 1000 1'),
  ('compactions', 'compactions_once', '1000 1000 2 1'),
  ('compactions', 'compactions_of_conversation', '1000 1000 2 1'),
  ('compactions', 'compactions_of_scope', '1000 1000 10 1'),
  ('sessions', 'sqlite_autoindex_sessions_1', '1000 1000 1'),
  ('sessions', 'sqlite_autoindex_sessions_2', '1000 1000 2 1'),
  ('identities', 'sqlite_autoindex_identities_1', '1000 1000 1'),
  ('identities', 'sqlite_autoindex_identities_2', '1000 1000 500 1'),
  ('identities', 'identities_of_scope', '1000 1000 500 1'),
  ('identities', 'identities_by_person', '1000 1000 500 3'),
  ('tasks', 'sqlite_autoindex_tasks_1', '10000 10000 1'),
  ('tasks', 'tasks_one_twin', '5000 5000 50 1'),
  ('tasks', 'tasks_waiting', '5000 5000 50 2 1'),
  ('tasks', 'tasks_leased', '100 100 10 1 1'),
  ('tasks', 'tasks_by_time', '10000 10000 100 2 1'),
  ('tasks', 'tasks_newest', '10000 10000 100 1'),
  ('tasks', 'tasks_deleted', '100 100 10 1'),
  ('task_runs', 'sqlite_autoindex_task_runs_1', '50000 50000 1'),
  ('task_runs', 'task_runs_of_task', '50000 50000 5 1'),
  ('task_runs', 'task_runs_of_scope', '50000 50000 500 1'),
  ('task_runs', 'task_runs_by_token', '50000 50000 1'),
  ('checkpoints', 'sqlite_autoindex_checkpoints_1', '10000 10000 1'),
  ('checkpoints', 'checkpoints_one_phase', '10000 10000 100 5 1'),
  ('checkpoints', 'checkpoints_in_order', '10000 10000 100 5 1'),
  ('checkpoints', 'checkpoints_newest', '10000 10000 100 1'),
  ('checkpoints', 'checkpoints_deleted', '100 100 10 1'),
  ('snapshots', 'sqlite_autoindex_snapshots_1', '1000 1000 1'),
  ('snapshots', 'snapshots_one_name', '1000 1000 10 1'),
  ('snapshots', 'snapshots_by_name', '1000 1000 10 1'),
  ('snapshots', 'snapshots_newest', '1000 1000 10 1'),
  ('snapshots', 'snapshots_deleted', '100 100 10 1'),
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
  ('onboarding', 'onboarding', '5000 5000 5 1'),
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
  ('facts', 'facts_rejected', '1000 1000 10 1'),
  ('fact_uses', 'sqlite_autoindex_fact_uses_1', '100000 100000 2 1'),
  ('fact_uses', 'fact_uses_by_day', '100000 100000 1000'),
  ('feedback', 'sqlite_autoindex_feedback_1', '1000 1000 1'),
  ('feedback', 'sqlite_autoindex_feedback_2', '1000 1000 2 1'),
  ('feedback', 'feedback_of_scope', '1000 1000 10 1'),
  ('facts', 'facts_pinned', '1000 1000 10 1'),
  ('facts', 'facts_standing', '10000 10000 100 30 1'),
  ('facts', 'facts_ended', '10000 10000 100 1');
ANALYZE sqlite_schema;
