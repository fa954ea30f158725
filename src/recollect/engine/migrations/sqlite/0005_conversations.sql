-- What was said, where other programs left off, and who is the same person.

CREATE TABLE conversations (
  space        TEXT    NOT NULL,
  id           TEXT    NOT NULL,
  scope        INTEGER NOT NULL,
  channel      TEXT    NOT NULL,
  started_at   INTEGER NOT NULL,
  parent       TEXT,             -- the conversation that it branched off from,
  branched_at  TEXT,             -- and the last message that both have
  metadata     TEXT    NOT NULL,
  -- what may change; the audit trail tells of each change
  closed_at    INTEGER,
  summary      TEXT,
  deleted_at   INTEGER,
  changed_at   INTEGER NOT NULL,
  -- look-ups: the messages have the truth
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

-- The order is that of `position` in a conversation and of `number` among all: never that of a clock.
CREATE TABLE messages (
  number       INTEGER PRIMARY KEY AUTOINCREMENT,  -- never given to another message
  space        TEXT    NOT NULL,
  id           TEXT    NOT NULL,
  scope        INTEGER NOT NULL,
  conversation TEXT    NOT NULL,
  position     INTEGER NOT NULL,
  role         TEXT    NOT NULL CHECK (role IN ('user', 'assistant', 'system', 'tool')),
  content      TEXT    NOT NULL,
  said_at      INTEGER NOT NULL,
  metadata     TEXT    NOT NULL,
  key          TEXT,             -- names the call that brought it, so that a retry stores nothing
  origin       TEXT    NOT NULL, -- itself, or the message that this is a branch's copy of
  undone_at    INTEGER,
  changed_at   INTEGER NOT NULL,
  FOREIGN KEY (space, conversation) REFERENCES conversations (space, id)
) STRICT;
CREATE UNIQUE INDEX messages_by_id ON messages (space, id);
CREATE UNIQUE INDEX messages_by_position ON messages (space, conversation, position);
CREATE UNIQUE INDEX messages_by_key ON messages (space, scope, key, role) WHERE key IS NOT NULL;
CREATE INDEX messages_of_scope ON messages (space, scope, number);
CREATE INDEX messages_by_origin ON messages (space, origin);

-- A summary that stands for a range of messages, which are kept.
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

-- The terms of messages and other records that are searched by their words.
CREATE TABLE record_texts (
  seq    INTEGER PRIMARY KEY AUTOINCREMENT,  -- never given to another record
  space  TEXT    NOT NULL,
  kind   TEXT    NOT NULL,
  record TEXT    NOT NULL,
  scope  INTEGER NOT NULL,
  terms  TEXT    NOT NULL
) STRICT;
CREATE UNIQUE INDEX record_texts_by_record ON record_texts (space, record);

-- Every term carries a mark: the kind of the record, and its scope.
CREATE VIRTUAL TABLE record_terms USING fts5 (
  terms, content='', contentless_delete=1,
  tokenize="unicode61 remove_diacritics 0 categories 'L* N* M* Co'"
);
CREATE VIRTUAL TABLE record_terms_counts USING fts5vocab (record_terms, 'row');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
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
  ('record_texts', 'record_texts_by_record', '200000 200000 1');
ANALYZE sqlite_schema;
