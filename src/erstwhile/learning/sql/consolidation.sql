-- name: last_consolidation
-- The mark of the last run in a scope: by rules, or also by a language model.
SELECT reason FROM audit
WHERE space = :space AND scope = :scope
  AND (action = 'consolidation.read' OR action = 'consolidation.run' AND :model = 0)
ORDER BY seq DESC LIMIT 1;

-- name: consolidation_entries
-- The beginning and the end of a run in each scope, and its undoing, oldest first.
SELECT a.subject, a.action, a.seq, s.scope_user, s.scope_agent, s.scope_project, s.scope_session
FROM scopes AS s JOIN audit AS a ON a.space = :space AND a.scope = s.id
  AND a.subject >= :lowest AND a.subject <= :highest
WHERE {{visible}} AND a.action IN (
  'consolidation.begin', 'consolidation.run', 'consolidation.read', 'consolidation.undo')
ORDER BY a.subject, a.at, a.seq;

-- name: changes_between
-- The changes of one scope between two of its entries, oldest first.
SELECT action, subject, at FROM audit
WHERE space = :space AND scope = :scope AND seq > :first AND seq < :last ORDER BY seq;

-- name: newest_observations
-- The newest observations of exactly this scope.
SELECT {{record_head}}, {{observation_fields}} FROM observations AS r
JOIN scopes AS s ON s.space = :space AND s.id = r.scope
WHERE r.space = :space AND r.scope = :scope AND r.deleted_at IS NULL
ORDER BY r.id DESC LIMIT :limit;
