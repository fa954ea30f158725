-- What is to be done and by whom, and how far a run of several phases has come.

CREATE TABLE tasks (
  space         TEXT COLLATE "C" NOT NULL,
  id            TEXT COLLATE "C" NOT NULL,
  scope         BIGINT NOT NULL,
  created_at    BIGINT NOT NULL,
  changed_at    BIGINT NOT NULL,
  deleted_at    BIGINT,
  description   TEXT COLLATE "C" NOT NULL,
  type          TEXT COLLATE "C" NOT NULL,
  status        TEXT COLLATE "C" NOT NULL,
  due_at        BIGINT NOT NULL,
  occurrence_at BIGINT NOT NULL,
  anchor        TEXT COLLATE "C" NOT NULL,  -- a time on the clock of its zone
  time_zone     TEXT COLLATE "C" NOT NULL,
  recurrence    TEXT COLLATE "C",
  reply_to      TEXT COLLATE "C",
  metadata      TEXT COLLATE "C" NOT NULL,
  retries       BIGINT NOT NULL,
  attempts      BIGINT NOT NULL,
  last_error    TEXT COLLATE "C",
  run           TEXT COLLATE "C",
  worker        TEXT COLLATE "C",
  lease_until   BIGINT,
  -- look-ups, made from the rest
  fingerprint   BYTEA NOT NULL,
  terms         TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (space, id),
  FOREIGN KEY (space, scope) REFERENCES scopes (space, id)
);
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
  space         TEXT COLLATE "C" NOT NULL,
  id            TEXT COLLATE "C" NOT NULL,
  scope         BIGINT NOT NULL,
  task          TEXT COLLATE "C" NOT NULL,
  token         TEXT COLLATE "C" NOT NULL,
  status        TEXT COLLATE "C" NOT NULL,
  attempt       BIGINT NOT NULL,
  worker        TEXT COLLATE "C" NOT NULL,
  occurrence_at BIGINT NOT NULL,
  started_at    BIGINT NOT NULL,
  finished_at   BIGINT,
  changed_at    BIGINT NOT NULL,
  result        TEXT COLLATE "C",
  error         TEXT COLLATE "C",
  tokens_used   BIGINT,
  PRIMARY KEY (space, id),
  FOREIGN KEY (space, task) REFERENCES tasks (space, id)
);
CREATE INDEX task_runs_of_task ON task_runs (space, task, id);
CREATE INDEX task_runs_of_scope ON task_runs (space, scope, id);
CREATE UNIQUE INDEX task_runs_by_token ON task_runs (space, token);

-- How far a run has come: a row per phase, in the order in which the phases were first named.
CREATE TABLE checkpoints (
  space      TEXT COLLATE "C" NOT NULL,
  id         TEXT COLLATE "C" NOT NULL,
  scope      BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  changed_at BIGINT NOT NULL,
  deleted_at BIGINT,
  run        TEXT COLLATE "C" NOT NULL,
  phase      TEXT COLLATE "C" NOT NULL,
  position   BIGINT NOT NULL,
  status     TEXT COLLATE "C" NOT NULL,
  attempts   BIGINT NOT NULL,
  output     TEXT COLLATE "C",
  error      TEXT COLLATE "C",
  PRIMARY KEY (space, id),
  FOREIGN KEY (space, scope) REFERENCES scopes (space, id)
);
-- Across processes: a phase is there once.
CREATE UNIQUE INDEX checkpoints_one_phase ON checkpoints (space, scope, run, phase)
  WHERE deleted_at IS NULL;
CREATE INDEX checkpoints_in_order ON checkpoints (space, scope, run, position);
CREATE INDEX checkpoints_newest ON checkpoints (space, scope, id);
CREATE INDEX checkpoints_deleted ON checkpoints (space, scope, deleted_at)
  WHERE deleted_at IS NOT NULL;

SELECT guard(each) FROM unnest(ARRAY[
  'tasks', 'task_runs', 'checkpoints']::regclass[]) AS each;
