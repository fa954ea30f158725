-- The long-term memory and the decisions of nexo-rs, without indexes and vectors

CREATE TABLE memories (
                id         TEXT PRIMARY KEY,
                agent_id   TEXT NOT NULL,
                content    TEXT NOT NULL,
                tags       TEXT NOT NULL DEFAULT '[]',
                created_at INTEGER NOT NULL
            , concept_tags TEXT NOT NULL DEFAULT '[]', memory_type TEXT);

CREATE VIRTUAL TABLE memories_fts USING fts5(
                content,
                id UNINDEXED,
                agent_id UNINDEXED
            );

CREATE TABLE interactions (
                id         TEXT PRIMARY KEY,
                session_id TEXT NOT NULL,
                agent_id   TEXT NOT NULL,
                role       TEXT NOT NULL,
                content    TEXT NOT NULL,
                created_at INTEGER NOT NULL
            );

CREATE TABLE reminders (
                id           TEXT PRIMARY KEY,
                agent_id     TEXT NOT NULL,
                session_id   TEXT NOT NULL,
                plugin       TEXT NOT NULL,
                recipient    TEXT NOT NULL,
                message      TEXT NOT NULL,
                due_at       INTEGER NOT NULL,
                claimed_at   INTEGER,
                delivered_at INTEGER,
                created_at   INTEGER NOT NULL
            );

CREATE TABLE email_followups (
                flow_id          TEXT PRIMARY KEY,
                agent_id         TEXT NOT NULL,
                session_id       TEXT NOT NULL,
                source_plugin    TEXT NOT NULL,
                source_instance  TEXT,
                recipient        TEXT NOT NULL,
                thread_root_id   TEXT NOT NULL,
                instruction      TEXT NOT NULL,
                check_every_secs INTEGER NOT NULL,
                max_attempts     INTEGER NOT NULL,
                attempts         INTEGER NOT NULL DEFAULT 0,
                next_check_at    INTEGER NOT NULL,
                claimed_at       INTEGER,
                status           TEXT NOT NULL DEFAULT 'active',
                status_note      TEXT,
                created_at       INTEGER NOT NULL,
                updated_at       INTEGER NOT NULL
            );

CREATE TABLE recall_events (
                id         INTEGER PRIMARY KEY AUTOINCREMENT,
                agent_id   TEXT NOT NULL,
                memory_id  TEXT NOT NULL,
                query      TEXT NOT NULL,
                score      REAL NOT NULL,
                ts_ms      INTEGER NOT NULL
            );

CREATE TABLE memory_promotions (
                memory_id    TEXT PRIMARY KEY,
                agent_id     TEXT NOT NULL,
                promoted_at  INTEGER NOT NULL,
                score        REAL NOT NULL,
                phase        TEXT NOT NULL
            );

CREATE TABLE driver_decisions (
                id              TEXT PRIMARY KEY,
                goal_id         TEXT NOT NULL,
                turn_index      INTEGER NOT NULL,
                tool            TEXT NOT NULL,
                input_summary   TEXT NOT NULL,
                choice_kind     TEXT NOT NULL,
                choice_message  TEXT,
                rationale       TEXT NOT NULL,
                decided_at      INTEGER NOT NULL,
                full_input_json TEXT NOT NULL,
                schema_version  INTEGER NOT NULL DEFAULT 1
            );
