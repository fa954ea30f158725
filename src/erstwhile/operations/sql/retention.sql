-- Records that have outlived their retention. An owner is a scope, or the task of a run.

-- fragment: retained.facts
facts

-- fragment: retained.quarantined
facts

-- fragment: retained.uncertain
facts

-- fragment: retained.messages
messages

-- fragment: retained.conversations
conversations

-- fragment: retained.attempts
attempts

-- fragment: retained.decisions
decisions

-- fragment: retained.conflicts
conflicts

-- fragment: retained.tasks
tasks

-- fragment: retained.runs
task_runs

-- fragment: retained.checkpoints
checkpoints

-- fragment: retained.outcomes
outcomes

-- fragment: retained.observations
observations

-- fragment: retained.usage
usage

-- fragment: owners
scopes

-- fragment: owners.runs
tasks

-- fragment: owner
scope

-- fragment: owner.runs
task

-- fragment: sequence
-- The column that orders the records of an owner.
id

-- fragment: sequence.messages
number

-- fragment: aged_by.facts
COALESCE(t.retired_at, t.expires_at)

-- fragment: aged_by.quarantined
t.recorded_at

-- fragment: aged_by.uncertain
t.recorded_at

-- fragment: aged_by.messages
t.said_at

-- fragment: aged_by.conversations
t.active_at

-- fragment: aged_by.decisions
t.decided_at

-- fragment: aged_by.conflicts
t.settled_at

-- fragment: aged_by.tasks
t.changed_at

-- fragment: aged_by.runs
t.finished_at

-- fragment: aged_by.checkpoints
t.changed_at

-- fragment: aged_by.usage
t.at

-- fragment: aged_by
t.created_at

-- fragment: may_go.facts
-- Those that ended. A deleted fact can be restored.
t.deleted_at IS NULL AND (t.retired_at IS NOT NULL OR t.expires_at <= :now)

-- fragment: may_go.quarantined
t.deleted_at IS NULL AND t.retired_at IS NULL AND t.trust = 'quarantined'

-- fragment: may_go.uncertain
t.deleted_at IS NULL AND t.retired_at IS NULL AND t.trust <> 'quarantined' AND t.origin = 'learned'
AND t.tier = 'inferred' AND t.confidence < 0.5 AND t.evidence = 1 AND t.pinned = 0

-- fragment: may_go.messages
-- Not while learning still needs the message. A deleted conversation goes as a whole.
NOT EXISTS (
  SELECT 1 FROM conversations AS c
  WHERE c.space = :space AND c.id = t.conversation AND c.deleted_at IS NOT NULL)
AND NOT EXISTS (
  SELECT 1 FROM learning AS l
  WHERE l.space = :space AND l.conversation = t.conversation AND l.learned < l.wanted)

-- fragment: may_go.conversations
-- Not while learning still needs it, nor while a branch of it is younger: both share messages.
t.deleted_at IS NULL AND t.active_at < :now
AND NOT EXISTS (
  SELECT 1 FROM learning AS l
  WHERE l.space = :space AND l.conversation = t.id AND l.learned < l.wanted)
AND t.id NOT IN (
  SELECT b.parent FROM conversations AS b
  WHERE b.space = :space AND b.parent IS NOT NULL AND b.active_at >= :before)

-- fragment: may_go.decisions
t.deleted_at IS NULL AND t.choice = 'observe'

-- fragment: may_go.conflicts
t.deleted_at IS NULL AND t.settled_at IS NOT NULL

-- fragment: may_go.tasks
t.deleted_at IS NULL AND t.status NOT IN ('pending', 'claimed')

-- fragment: may_go.runs
t.finished_at IS NOT NULL

-- fragment: may_go
t.deleted_at IS NULL

-- fragment: outlived
-- All that may go, is too old or not among the newest of its owner.
(WITH beyond AS MATERIALIZED (
  SELECT o.id AS owner, (
    SELECT t.{{sequence}} FROM {{retained}} AS t
    WHERE t.space = :space AND t.{{owner}} = o.id AND {{may_go}}
    ORDER BY t.{{sequence}} DESC LIMIT 1 OFFSET :newest) AS last
  FROM {{owners}} AS o WHERE o.space = :space)
SELECT t.id FROM beyond AS b
JOIN {{retained}} AS t ON t.space = :space AND t.{{owner}} = b.owner
WHERE {{may_go}} AND ({{aged_by}} < :before OR t.{{sequence}} <= b.last)) AS o

-- name: find_outlived
SELECT o.id FROM {{outlived}} ORDER BY o.id LIMIT :limit;

-- name: count_outlived
SELECT COUNT(*) FROM {{outlived}};

-- name: check_outlived
-- Under the lock: the record may have changed since it was found.
SELECT 1 FROM {{retained}} AS t WHERE t.space = :space AND t.id = :id AND {{may_go}};

-- name: scope_of_row
SELECT {{its_dimensions}} FROM {{retained}} AS t
JOIN scopes AS s ON s.space = :space AND s.id = t.scope
WHERE t.space = :space AND t.id = :id;

-- name: remove_run
DELETE FROM task_runs WHERE space = :space AND id = :id;

-- name: find_long_blocks
-- Blocks with earlier versions that are too old or too many, and the first version that stays.
-- A read-only block keeps all of its versions.
SELECT v.id, MAX(v.version) + 1
FROM block_versions AS v JOIN blocks AS n ON n.space = :space AND n.id = v.id
WHERE v.space = :space AND n.read_only = 0
  AND (v.known_to < :before OR v.version < n.version - :newest)
GROUP BY v.id ORDER BY v.id LIMIT :limit;

-- name: count_old_versions
SELECT COUNT(*) FROM block_versions AS v JOIN blocks AS n ON n.space = :space AND n.id = v.id
WHERE v.space = :space AND n.read_only = 0
  AND (v.known_to < :before OR v.version < n.version - :newest);

-- name: count_deleted
-- The records of a table that were deleted before a moment.
SELECT COUNT(*) FROM {{deletable}} AS t WHERE t.space = :space AND t.deleted_at < :before;

-- fragment: deletable.facts
facts

-- fragment: deletable.blocks
blocks

-- fragment: deletable.decisions
decisions

-- fragment: deletable.conversations
conversations

-- fragment: deletable.tasks
tasks

-- fragment: deletable.checkpoints
checkpoints

-- fragment: deletable.snapshots
snapshots

-- fragment: deletable.outcomes
outcomes

-- fragment: deletable.lessons
lessons

-- fragment: deletable.observations
observations

-- fragment: deletable.limitations
limitations

-- fragment: deletable.usage
usage
