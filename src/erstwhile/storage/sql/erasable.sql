-- The records of a scope and of all narrower ones, of every table that has records of its own. The other
-- tables hold parts of them.

-- fragment: erasable.facts
facts

-- fragment: erasable.blocks
blocks

-- fragment: erasable.decisions
decisions

-- fragment: erasable.conversations
conversations

-- fragment: erasable.attempts
attempts

-- fragment: erasable.conflicts
conflicts

-- fragment: erasable.feedback
feedback

-- fragment: erasable.sessions
sessions

-- fragment: erasable.identities
identities

-- fragment: erasable.onboarding
onboarding

-- fragment: erasable.tasks
tasks

-- fragment: erasable.checkpoints
checkpoints

-- fragment: erasable.snapshots
snapshots

-- fragment: erasable.outcomes
outcomes

-- fragment: erasable.lessons
lessons

-- fragment: erasable.observations
observations

-- fragment: erasable.limitations
limitations

-- fragment: erasable.usage
usage

-- name: count_within
SELECT COUNT(*) FROM scopes AS s
JOIN {{erasable}} AS t ON t.space = :space AND t.scope = s.id
WHERE {{within}};

-- name: ids_within
SELECT t.id, s.scope_user, s.scope_agent, s.scope_project, s.scope_session FROM scopes AS s
JOIN {{erasable}} AS t ON t.space = :space AND t.scope = s.id
WHERE {{within}} ORDER BY t.id LIMIT :limit;

-- name: remove_row
DELETE FROM {{erasable}} WHERE space = :space AND scope = :scope AND id = :id;
