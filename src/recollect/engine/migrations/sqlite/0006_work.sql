-- What is to be done and by whom, and how far a run of several phases has come.

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
  anchor        TEXT    NOT NULL,  -- a time on the clock of its zone
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
  -- look-ups, made from the rest
  fingerprint   BLOB    NOT NULL,
  terms         TEXT    NOT NULL,
  PRIMARY KEY (space, id),
  FOREIGN KEY (space, scope) REFERENCES scopes (space, id)
) STRICT;
-- Across processes: an open task is there once.
CREATE UNIQUE INDEX tasks_one_twin ON tasks (space, scope, fingerprint)
  WHERE status IN ('pending', 'claimed') AND deleted_at IS NULL;
CREATE INDEX tasks_waiting ON tasks (space, scope, due_at, id)
  WHERE status = 'pending' AND deleted_at IS NULL;
CREATE INDEX tasks_leased ON tasks (space, scope, lease_until, id)
  WHERE status = 'claimed' AND deleted_at IS NULL;
CREATE INDEX tasks_by_time ON tasks (space, scope, due_at, id);
CREATE INDEX tasks_newest ON tasks (space, scope, id);
CREATE INDEX tasks_deleted ON tasks (space, scope, deleted_at) WHERE deleted_at IS NOT NULL;

-- One row per attempt. Only who was given the token may finish it.
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

-- How far a run has come: a row per phase, in the order in which the phases were first named.
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
-- Across processes: a phase is there once.
CREATE UNIQUE INDEX checkpoints_one_phase ON checkpoints (space, scope, run, phase)
  WHERE deleted_at IS NULL;
CREATE INDEX checkpoints_in_order ON checkpoints (space, scope, run, position);
CREATE INDEX checkpoints_newest ON checkpoints (space, scope, id);
CREATE INDEX checkpoints_deleted ON checkpoints (space, scope, deleted_at)
  WHERE deleted_at IS NOT NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
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
  ('checkpoints', 'checkpoints_deleted', '100 100 10 1');
ANALYZE sqlite_schema;
