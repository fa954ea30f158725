-- fragment: record.snapshots
snapshots AS r

-- fragment: record_fields.snapshots
{{snapshot_fields}}

-- fragment: record_narrowed.snapshots
TRUE

-- fragment: snapshot_fields
r.name, r.at, r.description

-- name: find_snapshots
-- The visible snapshots of a name: the narrowest scope first, in a scope the last deleted first.
SELECT {{record_head}}, {{snapshot_fields}} FROM scopes AS s
JOIN snapshots AS r ON r.space = :space AND r.scope = s.id
WHERE {{visible}} AND r.name = :name AND {{kept}}
ORDER BY {{narrowest}}, r.deleted_at DESC, r.id DESC;

-- name: add_snapshot
INSERT INTO snapshots (
  space, id, scope, created_at, changed_at, deleted_at, name, at, description)
VALUES (
  :space, :id, :scope, :created_at, :changed_at, :deleted_at, :name, :at, :description);

-- name: change_snapshot
UPDATE snapshots SET changed_at = :changed_at, deleted_at = :deleted_at
WHERE space = :space AND id = :id AND changed_at = :was_changed_at;

-- name: stored_snapshots
SELECT {{record_state}}, {{snapshot_fields}} FROM snapshots AS r
WHERE r.space = :space AND r.scope = :scope ORDER BY r.id;

-- name: facts_known
-- The facts of one scope that changed or ended after `since`, each as it was known at a moment.
SELECT {{columns}} FROM {{facts}} AS f
JOIN scopes AS s ON s.space = :space AND s.id = f.scope
WHERE f.space = :space AND f.id IN (
  SELECT t.id FROM facts AS t
  WHERE t.space = :space AND t.scope = :scope
    AND (t.known_from > :since OR t.valid_to > :since AND t.valid_to <= :until
         OR t.expires_at > :since AND t.expires_at <= :until))
ORDER BY f.id;

-- name: blocks_known
-- The blocks of one scope, each as it was known at a moment.
SELECT {{block_columns}} FROM block_states AS b
JOIN scopes AS s ON s.space = :space AND s.id = b.scope
WHERE b.space = :space AND b.scope = :scope AND b.known_from <= :known_at
  AND b.known_to > :known_at
ORDER BY b.name, b.id;

-- name: lives_of_erased
-- The changes, up to a moment, of what was erased from one scope after it.
SELECT a.subject, a.action FROM audit AS e
JOIN audit AS a ON a.space = :space AND a.subject = e.subject AND a.scope = :scope
WHERE e.space = :space AND e.scope = :scope AND e.action = 'erase' AND e.at > :since
  AND a.at <= :since
ORDER BY a.seq;

-- name: sealed_since
-- Entries of one scope after a moment that a seal covers: others beside them may be gone.
SELECT COUNT(*) FROM audit AS a
WHERE a.space = :space AND a.scope = :scope AND a.seq = :last AND a.at > :since;
