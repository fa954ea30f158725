-- Times that a wrong clock stamped are moved back by :shift. A row that was written at :first or later is
-- moved: every time in it that is not before :first, except what it had before.

-- name: first_beyond
-- The first change after a time, and the last one up to it.
SELECT MIN(CASE WHEN at > :limit THEN at END), MAX(CASE WHEN at <= :limit THEN at END),
       COUNT(CASE WHEN at > :limit THEN 1 END), MAX(at)
FROM audit WHERE space = :space;

-- name: move_facts
UPDATE facts SET
  recorded_at = CASE WHEN recorded_at >= :first THEN recorded_at - :shift ELSE recorded_at END,
  known_from = CASE WHEN known_from >= :first THEN known_from - :shift ELSE known_from END,
  retired_at = CASE WHEN retired_at >= :first THEN retired_at - :shift ELSE retired_at END,
  deleted_at = CASE WHEN deleted_at >= :first THEN deleted_at - :shift ELSE deleted_at END,
  valid_from = CASE WHEN valid_from >= :first AND valid_from < :endless AND NOT EXISTS (
    SELECT 1 FROM fact_versions AS b WHERE b.space = :space AND b.id = facts.id
      AND b.known_from < :first AND b.valid_from = facts.valid_from)
    THEN valid_from - :shift ELSE valid_from END,
  valid_to = CASE WHEN valid_to >= :first AND valid_to < :endless AND NOT EXISTS (
    SELECT 1 FROM fact_versions AS b WHERE b.space = :space AND b.id = facts.id
      AND b.known_from < :first AND b.valid_to = facts.valid_to)
    THEN valid_to - :shift ELSE valid_to END,
  expires_at = CASE WHEN expires_at >= :first AND expires_at < :endless AND NOT EXISTS (
    SELECT 1 FROM fact_versions AS b WHERE b.space = :space AND b.id = facts.id
      AND b.known_from < :first AND b.expires_at = facts.expires_at)
    THEN expires_at - :shift ELSE expires_at END
WHERE space = :space AND known_from >= :first;

-- name: move_fact_versions
UPDATE fact_versions SET
  known_from = CASE WHEN known_from >= :first THEN known_from - :shift ELSE known_from END,
  retired_at = CASE WHEN retired_at >= :first THEN retired_at - :shift ELSE retired_at END,
  deleted_at = CASE WHEN deleted_at >= :first THEN deleted_at - :shift ELSE deleted_at END,
  valid_from = CASE WHEN valid_from >= :first AND valid_from < :endless AND NOT EXISTS (
    SELECT 1 FROM fact_versions AS b WHERE b.space = :space AND b.id = fact_versions.id
      AND b.known_from < :first AND b.valid_from = fact_versions.valid_from)
    THEN valid_from - :shift ELSE valid_from END,
  valid_to = CASE WHEN valid_to >= :first AND valid_to < :endless AND NOT EXISTS (
    SELECT 1 FROM fact_versions AS b WHERE b.space = :space AND b.id = fact_versions.id
      AND b.known_from < :first AND b.valid_to = fact_versions.valid_to)
    THEN valid_to - :shift ELSE valid_to END,
  expires_at = CASE WHEN expires_at >= :first AND expires_at < :endless AND NOT EXISTS (
    SELECT 1 FROM fact_versions AS b WHERE b.space = :space AND b.id = fact_versions.id
      AND b.known_from < :first AND b.expires_at = fact_versions.expires_at)
    THEN expires_at - :shift ELSE expires_at END
WHERE space = :space AND known_from >= :first;

-- name: move_end_of_fact_versions
UPDATE fact_versions SET known_to = known_to - :shift
WHERE space = :space AND known_to >= :first AND known_to < :endless;

-- name: move_end_of_block_versions
UPDATE block_versions SET known_to = known_to - :shift
WHERE space = :space AND known_to >= :first AND known_to < :endless;

-- name: move_block_versions
UPDATE block_versions SET
  known_from = CASE WHEN known_from >= :first THEN known_from - :shift ELSE known_from END,
  deleted_at = CASE WHEN deleted_at >= :first THEN deleted_at - :shift ELSE deleted_at END
WHERE space = :space AND known_from >= :first;

-- name: move_blocks
UPDATE blocks SET
  created_at = CASE WHEN created_at >= :first THEN created_at - :shift ELSE created_at END,
  known_from = CASE WHEN known_from >= :first THEN known_from - :shift ELSE known_from END,
  deleted_at = CASE WHEN deleted_at >= :first THEN deleted_at - :shift ELSE deleted_at END
WHERE space = :space AND known_from >= :first;

-- name: move_decisions
UPDATE decisions SET
  decided_at = CASE WHEN decided_at >= :first THEN decided_at - :shift ELSE decided_at END,
  recorded_at = CASE WHEN recorded_at >= :first THEN recorded_at - :shift ELSE recorded_at END,
  changed_at = CASE WHEN changed_at >= :first THEN changed_at - :shift ELSE changed_at END,
  outcome_at = CASE WHEN outcome_at >= :first THEN outcome_at - :shift ELSE outcome_at END,
  deleted_at = CASE WHEN deleted_at >= :first THEN deleted_at - :shift ELSE deleted_at END
WHERE space = :space AND changed_at >= :first;

-- name: move_conversations
UPDATE conversations SET
  started_at = CASE WHEN started_at >= :first THEN started_at - :shift ELSE started_at END,
  closed_at = CASE WHEN closed_at >= :first THEN closed_at - :shift ELSE closed_at END,
  deleted_at = CASE WHEN deleted_at >= :first THEN deleted_at - :shift ELSE deleted_at END,
  changed_at = CASE WHEN changed_at >= :first THEN changed_at - :shift ELSE changed_at END,
  active_at = CASE WHEN active_at >= :first THEN active_at - :shift ELSE active_at END
WHERE space = :space AND changed_at >= :first;

-- name: move_messages
UPDATE messages SET
  said_at = CASE WHEN said_at >= :first THEN said_at - :shift ELSE said_at END,
  undone_at = CASE WHEN undone_at >= :first THEN undone_at - :shift ELSE undone_at END,
  changed_at = CASE WHEN changed_at >= :first THEN changed_at - :shift ELSE changed_at END,
  learned_at = CASE WHEN learned_at >= :first THEN learned_at - :shift ELSE learned_at END
WHERE space = :space AND changed_at >= :first;

-- name: move_compactions
UPDATE compactions SET
  created_at = CASE WHEN created_at >= :first THEN created_at - :shift ELSE created_at END,
  undone_at = CASE WHEN undone_at >= :first THEN undone_at - :shift ELSE undone_at END,
  changed_at = CASE WHEN changed_at >= :first THEN changed_at - :shift ELSE changed_at END
WHERE space = :space AND changed_at >= :first;

-- name: move_sessions
UPDATE sessions SET changed_at = changed_at - :shift WHERE space = :space AND changed_at >= :first;

-- name: move_identities
UPDATE identities SET changed_at = changed_at - :shift WHERE space = :space AND changed_at >= :first;

-- name: move_tasks
UPDATE tasks SET
  created_at = CASE WHEN created_at >= :first THEN created_at - :shift ELSE created_at END,
  changed_at = CASE WHEN changed_at >= :first THEN changed_at - :shift ELSE changed_at END,
  deleted_at = CASE WHEN deleted_at >= :first THEN deleted_at - :shift ELSE deleted_at END,
  due_at = CASE WHEN due_at >= :first THEN due_at - :shift ELSE due_at END,
  occurrence_at = CASE WHEN occurrence_at >= :first THEN occurrence_at - :shift ELSE occurrence_at END,
  lease_until = CASE WHEN lease_until >= :first THEN lease_until - :shift ELSE lease_until END
WHERE space = :space AND changed_at >= :first;

-- name: move_task_runs
UPDATE task_runs SET
  occurrence_at = CASE WHEN occurrence_at >= :first THEN occurrence_at - :shift ELSE occurrence_at END,
  started_at = CASE WHEN started_at >= :first THEN started_at - :shift ELSE started_at END,
  finished_at = CASE WHEN finished_at >= :first THEN finished_at - :shift ELSE finished_at END,
  changed_at = CASE WHEN changed_at >= :first THEN changed_at - :shift ELSE changed_at END
WHERE space = :space AND changed_at >= :first;

-- name: move_checkpoints
UPDATE checkpoints SET
  created_at = CASE WHEN created_at >= :first THEN created_at - :shift ELSE created_at END,
  changed_at = CASE WHEN changed_at >= :first THEN changed_at - :shift ELSE changed_at END,
  deleted_at = CASE WHEN deleted_at >= :first THEN deleted_at - :shift ELSE deleted_at END
WHERE space = :space AND changed_at >= :first;

-- name: move_snapshots
UPDATE snapshots SET
  created_at = CASE WHEN created_at >= :first THEN created_at - :shift ELSE created_at END,
  changed_at = CASE WHEN changed_at >= :first THEN changed_at - :shift ELSE changed_at END,
  deleted_at = CASE WHEN deleted_at >= :first THEN deleted_at - :shift ELSE deleted_at END,
  at = CASE WHEN at >= :first THEN at - :shift ELSE at END
WHERE space = :space AND changed_at >= :first;

-- name: move_outcomes
UPDATE outcomes SET
  created_at = CASE WHEN created_at >= :first THEN created_at - :shift ELSE created_at END,
  changed_at = CASE WHEN changed_at >= :first THEN changed_at - :shift ELSE changed_at END,
  deleted_at = CASE WHEN deleted_at >= :first THEN deleted_at - :shift ELSE deleted_at END
WHERE space = :space AND changed_at >= :first;

-- name: move_lessons
UPDATE lessons SET
  created_at = CASE WHEN created_at >= :first THEN created_at - :shift ELSE created_at END,
  changed_at = CASE WHEN changed_at >= :first THEN changed_at - :shift ELSE changed_at END,
  deleted_at = CASE WHEN deleted_at >= :first THEN deleted_at - :shift ELSE deleted_at END,
  learned_at = CASE WHEN learned_at >= :first THEN learned_at - :shift ELSE learned_at END
WHERE space = :space AND changed_at >= :first;

-- name: move_observations
UPDATE observations SET
  created_at = CASE WHEN created_at >= :first THEN created_at - :shift ELSE created_at END,
  changed_at = CASE WHEN changed_at >= :first THEN changed_at - :shift ELSE changed_at END,
  deleted_at = CASE WHEN deleted_at >= :first THEN deleted_at - :shift ELSE deleted_at END
WHERE space = :space AND changed_at >= :first;

-- name: move_limitations
UPDATE limitations SET
  created_at = CASE WHEN created_at >= :first THEN created_at - :shift ELSE created_at END,
  changed_at = CASE WHEN changed_at >= :first THEN changed_at - :shift ELSE changed_at END,
  deleted_at = CASE WHEN deleted_at >= :first THEN deleted_at - :shift ELSE deleted_at END,
  reported_at = CASE WHEN reported_at >= :first THEN reported_at - :shift ELSE reported_at END,
  resolved_at = CASE WHEN resolved_at >= :first THEN resolved_at - :shift ELSE resolved_at END
WHERE space = :space AND changed_at >= :first;

-- name: move_usage
UPDATE usage SET
  created_at = CASE WHEN created_at >= :first THEN created_at - :shift ELSE created_at END,
  changed_at = CASE WHEN changed_at >= :first THEN changed_at - :shift ELSE changed_at END,
  deleted_at = CASE WHEN deleted_at >= :first THEN deleted_at - :shift ELSE deleted_at END,
  at = CASE WHEN at >= :first THEN at - :shift ELSE at END
WHERE space = :space AND changed_at >= :first;

-- name: move_onboarding
UPDATE onboarding SET reached_at = reached_at - :shift WHERE space = :space AND reached_at >= :first;

-- name: move_attempts
UPDATE attempts SET
  created_at = CASE WHEN created_at >= :first THEN created_at - :shift ELSE created_at END,
  changed_at = CASE WHEN changed_at >= :first THEN changed_at - :shift ELSE changed_at END,
  deleted_at = CASE WHEN deleted_at >= :first THEN deleted_at - :shift ELSE deleted_at END
WHERE space = :space AND changed_at >= :first;

-- name: move_conflicts
UPDATE conflicts SET
  created_at = CASE WHEN created_at >= :first THEN created_at - :shift ELSE created_at END,
  changed_at = CASE WHEN changed_at >= :first THEN changed_at - :shift ELSE changed_at END,
  deleted_at = CASE WHEN deleted_at >= :first THEN deleted_at - :shift ELSE deleted_at END,
  settled_at = CASE WHEN settled_at >= :first THEN settled_at - :shift ELSE settled_at END
WHERE space = :space AND changed_at >= :first;

-- name: move_feedback
UPDATE feedback SET changed_at = changed_at - :shift WHERE space = :space AND changed_at >= :first;

-- name: move_audit
UPDATE audit SET at = at - :shift WHERE space = :space AND at >= :first;

-- name: move_fact_tags
UPDATE fact_tags SET since = since - :shift WHERE space = :space AND since >= :first;

-- name: move_fact_entities
UPDATE fact_entities SET since = since - :shift WHERE space = :space AND since >= :first;

-- name: move_relations
UPDATE relations SET since = since - :shift WHERE space = :space AND since >= :first;

-- name: move_outbox
UPDATE outbox SET due_at = due_at - :shift WHERE space = :space AND due_at >= :first;

-- name: move_learning
UPDATE learning SET
  try_at = CASE WHEN try_at >= :first THEN try_at - :shift ELSE try_at END,
  leased_until = CASE WHEN leased_until >= :first THEN leased_until - :shift ELSE leased_until END
WHERE space = :space;

-- name: move_fact_uses
UPDATE fact_uses SET day = :day WHERE space = :space AND day > :day;

-- name: rewrite_entry
UPDATE audit SET digest = :digest, hash = :hash
WHERE space = :space AND scope = :scope AND seq = :seq;
