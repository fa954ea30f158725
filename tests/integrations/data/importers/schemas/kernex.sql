-- kernex-memory 0.10.0 after its 19 migrations, without indexes

CREATE TABLE _migrations (name TEXT PRIMARY KEY, applied_at TEXT NOT NULL DEFAULT (datetime('now')));

CREATE TABLE conversations (
    id          TEXT PRIMARY KEY,
    channel     TEXT NOT NULL,
    sender_id   TEXT NOT NULL,
    started_at  TEXT NOT NULL DEFAULT (datetime('now')),
    updated_at  TEXT NOT NULL DEFAULT (datetime('now'))
, summary TEXT, last_activity TEXT NOT NULL DEFAULT (datetime('now')), status TEXT NOT NULL DEFAULT 'active', project TEXT NOT NULL DEFAULT '');

CREATE TABLE messages (
    id              TEXT PRIMARY KEY,
    conversation_id TEXT NOT NULL REFERENCES conversations(id),
    role            TEXT NOT NULL CHECK (role IN ('user', 'assistant')),
    content         TEXT NOT NULL,
    timestamp       TEXT NOT NULL DEFAULT (datetime('now')),
    metadata_json   TEXT
);

CREATE TABLE audit_log (
    id              TEXT PRIMARY KEY,
    timestamp       TEXT NOT NULL DEFAULT (datetime('now')),
    channel         TEXT NOT NULL,
    sender_id       TEXT NOT NULL,
    sender_name     TEXT,
    input_text      TEXT NOT NULL,
    output_text     TEXT,
    provider_used   TEXT,
    model           TEXT,
    processing_ms   INTEGER,
    status          TEXT NOT NULL DEFAULT 'ok' CHECK (status IN ('ok', 'error', 'denied')),
    denial_reason   TEXT
);

CREATE TABLE facts (
    id                TEXT PRIMARY KEY,
    sender_id         TEXT NOT NULL,
    key               TEXT NOT NULL,
    value             TEXT NOT NULL,
    source_message_id TEXT REFERENCES messages(id),
    created_at        TEXT NOT NULL DEFAULT (datetime('now')),
    updated_at        TEXT NOT NULL DEFAULT (datetime('now')), deleted_at TEXT,
    UNIQUE(sender_id, key)
);

CREATE VIRTUAL TABLE messages_fts USING fts5(
    content,
    content='messages',
    content_rowid='rowid'
);

CREATE TABLE scheduled_tasks (
    id           TEXT PRIMARY KEY,
    channel      TEXT NOT NULL,
    sender_id    TEXT NOT NULL,
    reply_target TEXT NOT NULL,
    description  TEXT NOT NULL,
    due_at       TEXT NOT NULL,
    repeat       TEXT,
    status       TEXT NOT NULL DEFAULT 'pending',
    created_at   TEXT NOT NULL DEFAULT (datetime('now')),
    delivered_at TEXT
, task_type TEXT NOT NULL DEFAULT 'reminder', retry_count INTEGER NOT NULL DEFAULT 0, last_error TEXT, project TEXT NOT NULL DEFAULT '', claimed_at TEXT);

CREATE TABLE limitations (
    id            TEXT PRIMARY KEY,
    title         TEXT NOT NULL,
    description   TEXT NOT NULL,
    proposed_plan TEXT NOT NULL DEFAULT '',
    status        TEXT NOT NULL DEFAULT 'open',
    created_at    TEXT NOT NULL DEFAULT (datetime('now')),
    resolved_at   TEXT
);

CREATE TABLE user_aliases (
    alias_sender_id     TEXT PRIMARY KEY,
    canonical_sender_id TEXT NOT NULL
);

CREATE TABLE outcomes (
    id        TEXT PRIMARY KEY,
    timestamp TEXT NOT NULL DEFAULT (datetime('now')),
    sender_id TEXT NOT NULL,
    domain    TEXT NOT NULL,
    score     INTEGER NOT NULL CHECK (score IN (-1, 0, 1)),
    lesson    TEXT NOT NULL,
    source    TEXT NOT NULL DEFAULT 'conversation'
, project TEXT NOT NULL DEFAULT '');

CREATE TABLE project_sessions (
    id              TEXT PRIMARY KEY,
    channel         TEXT NOT NULL,
    sender_id       TEXT NOT NULL,
    project         TEXT NOT NULL DEFAULT '',
    session_id      TEXT NOT NULL,
    parent_project  TEXT,
    created_at      TEXT NOT NULL DEFAULT (datetime('now')),
    updated_at      TEXT NOT NULL DEFAULT (datetime('now')),
    UNIQUE(channel, sender_id, project)
);

CREATE TABLE "lessons" (
    id          TEXT PRIMARY KEY,
    sender_id   TEXT NOT NULL,
    domain      TEXT NOT NULL,
    rule        TEXT NOT NULL,
    project     TEXT NOT NULL DEFAULT '',
    occurrences INTEGER NOT NULL DEFAULT 1,
    created_at  TEXT NOT NULL DEFAULT (datetime('now')),
    updated_at  TEXT NOT NULL DEFAULT (datetime('now'))
);

CREATE TABLE token_usage (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    sender_id  TEXT    NOT NULL,
    session_id TEXT    NOT NULL,
    model      TEXT    NOT NULL,
    tokens     INTEGER NOT NULL DEFAULT 0,
    cost_usd   REAL    NOT NULL DEFAULT 0.0,
    timestamp  INTEGER NOT NULL DEFAULT (unixepoch())
, input_tokens          INTEGER, output_tokens         INTEGER, cache_read_tokens     INTEGER, cache_creation_tokens INTEGER);

CREATE TABLE phase_checkpoints (
    id            TEXT PRIMARY KEY,
    run_id        TEXT NOT NULL,
    topology_name TEXT NOT NULL,
    phase_name    TEXT NOT NULL,
    sender_id     TEXT NOT NULL,
    project       TEXT NOT NULL DEFAULT '',
    status        TEXT NOT NULL DEFAULT 'pending'
                      CHECK (status IN ('pending', 'in_progress', 'completed', 'failed')),
    output        TEXT,
    error_message TEXT,
    attempt       INTEGER NOT NULL DEFAULT 0,
    created_at    TEXT NOT NULL DEFAULT (datetime('now')),
    updated_at    TEXT NOT NULL DEFAULT (datetime('now')),
    UNIQUE (run_id, phase_name)
);

CREATE TABLE observations (
    id           TEXT PRIMARY KEY,
    sender_id    TEXT NOT NULL,
    type         TEXT NOT NULL
                 CHECK (type IN (
                     'bugfix', 'decision', 'pattern', 'config',
                     'discovery', 'learning', 'architecture'
                 )),
    title        TEXT NOT NULL
                 CHECK (length(title) > 0),
    what         TEXT,
    why          TEXT,
    where_field  TEXT,
    learned      TEXT,
    created_at   TEXT NOT NULL,
    updated_at   TEXT NOT NULL,
    deleted_at   TEXT
);

CREATE VIRTUAL TABLE observations_fts USING fts5(
    title,
    what,
    why,
    where_field,
    learned,
    content='observations',
    content_rowid='rowid'
);

CREATE TABLE task_runs (
    id           TEXT PRIMARY KEY,
    task_id      TEXT NOT NULL,
    started_at   TEXT NOT NULL,
    finished_at  TEXT NOT NULL DEFAULT (datetime('now')),
    status       TEXT NOT NULL CHECK (status IN ('completed', 'failed')),
    result       TEXT,
    error        TEXT,
    tokens_used  INTEGER
);

CREATE TRIGGER messages_fts_insert AFTER INSERT ON messages WHEN NEW.role = 'user'
BEGIN
    INSERT INTO messages_fts(rowid, content) VALUES (NEW.rowid, NEW.content);
END;

CREATE TRIGGER messages_fts_delete AFTER DELETE ON messages WHEN OLD.role = 'user'
BEGIN
    INSERT INTO messages_fts(messages_fts, rowid, content) VALUES('delete', OLD.rowid, OLD.content);
END;

CREATE TRIGGER messages_fts_update AFTER UPDATE OF content ON messages WHEN NEW.role = 'user'
BEGIN
    INSERT INTO messages_fts(messages_fts, rowid, content) VALUES('delete', OLD.rowid, OLD.content);
    INSERT INTO messages_fts(rowid, content) VALUES (NEW.rowid, NEW.content);
END;

CREATE TRIGGER observations_ai
    AFTER INSERT ON observations
    WHEN new.deleted_at IS NULL
BEGIN
    INSERT INTO observations_fts (rowid, title, what, why, where_field, learned)
    VALUES (new.rowid, new.title, new.what, new.why, new.where_field, new.learned);
END;

CREATE TRIGGER observations_au
    AFTER UPDATE ON observations
BEGIN
    INSERT INTO observations_fts (observations_fts, rowid, title, what, why, where_field, learned)
    VALUES ('delete', old.rowid, old.title, old.what, old.why, old.where_field, old.learned);
    INSERT INTO observations_fts (rowid, title, what, why, where_field, learned)
    SELECT new.rowid, new.title, new.what, new.why, new.where_field, new.learned
    WHERE new.deleted_at IS NULL;
END;

CREATE TRIGGER observations_ad
    AFTER DELETE ON observations
BEGIN
    INSERT INTO observations_fts (observations_fts, rowid, title, what, why, where_field, learned)
    VALUES ('delete', old.rowid, old.title, old.what, old.why, old.where_field, old.learned);
END;
