-- fragment: block_columns
b.id, s.scope_user, s.scope_agent, s.scope_project, s.scope_session, b.name, b.description,
b.content, b.version, b.tokens, b.limit_tokens, b.counted_by, b.overflow, b.moved,
b.archived, b.read_only, b.created_at, b.known_from, b.deleted_at

-- fragment: blocks.current
blocks

-- fragment: blocks.past
-- Each block as it was at `known_at`: in the present or an earlier version.
(SELECT
  now.space, now.id, now.scope, now.created_at,
  COALESCE(was.known_from, now.known_from) AS known_from,
  COALESCE(was.version, now.version) AS version, COALESCE(was.name, now.name) AS name,
  COALESCE(was.description, now.description) AS description,
  COALESCE(was.content, now.content) AS content, COALESCE(was.tokens, now.tokens) AS tokens,
  COALESCE(was.limit_tokens, now.limit_tokens) AS limit_tokens,
  COALESCE(was.counted_by, now.counted_by) AS counted_by,
  COALESCE(was.overflow, now.overflow) AS overflow, COALESCE(was.moved, now.moved) AS moved,
  COALESCE(was.archived, now.archived) AS archived,
  COALESCE(was.read_only, now.read_only) AS read_only,
  COALESCE(now.deleted_at, was.deleted_at) AS deleted_at
FROM blocks AS now
LEFT JOIN block_versions AS was ON was.space = :space AND was.id = now.id
  AND was.known_from <= :known_at AND was.known_to > :known_at
WHERE now.space = :space AND (now.known_from <= :known_at OR was.id IS NOT NULL))

-- fragment: block_state.present
-- A deleted block is hidden from past views too.
b.deleted_at IS NULL

-- fragment: block_state.deleted
b.deleted_at IS NOT NULL

-- fragment: breadth
-- 0 for a scope with all dimensions set: the narrowest. A name means the block of the narrowest scope.
CASE WHEN s.scope_user = '' THEN 8 ELSE 0 END + CASE WHEN s.scope_agent = '' THEN 4 ELSE 0 END
+ CASE WHEN s.scope_project = '' THEN 2 ELSE 0 END
+ CASE WHEN s.scope_session = '' THEN 1 ELSE 0 END

-- name: find_blocks
-- The visible blocks of a name: the narrowest scope first, in a scope the last deleted first.
SELECT {{block_columns}} FROM scopes AS s
JOIN {{blocks}} AS b ON b.space = :space AND b.scope = s.id
WHERE {{visible}} AND b.name = :name AND {{block_state}}
ORDER BY {{breadth}}, b.deleted_at DESC, b.id DESC LIMIT :limit;

-- name: find_blocks_by_id
SELECT {{block_columns}} FROM scopes AS s
JOIN {{blocks}} AS b ON b.space = :space AND b.scope = s.id
WHERE {{visible}} AND b.id >= :lowest AND b.id <= :highest AND {{block_state}}
ORDER BY b.id LIMIT 5;

-- name: list_blocks
SELECT {{block_columns}}, {{breadth}} FROM scopes AS s
JOIN {{blocks}} AS b ON b.space = :space AND b.scope = s.id
WHERE {{visible}} AND {{block_state}}
  AND (b.name, {{breadth}}, b.id) > (:after_name, :after_breadth, :after_id)
ORDER BY b.name, {{breadth}}, b.id LIMIT :limit;

-- name: find_folder
-- The visible blocks of a folder.
SELECT {{block_columns}} FROM scopes AS s
JOIN blocks AS b ON b.space = :space AND b.scope = s.id
WHERE {{visible}} AND b.name >= :first AND b.name < :last AND b.deleted_at IS NULL
ORDER BY b.name, b.id;

-- name: find_version
SELECT {{block_columns}} FROM block_states AS b
JOIN scopes AS s ON s.space = :space AND s.id = b.scope
WHERE b.space = :space AND b.id = :id AND b.version = :version;

-- name: block_changes
-- A range of versions of one block, newest first, each with its audit entry.
SELECT a.at, a.action, a.actor, a.reason, {{block_columns}} FROM block_states AS b
JOIN scopes AS s ON s.space = :space AND s.id = b.scope
JOIN audit AS a ON a.space = :space AND a.subject = b.id AND a.at = b.known_from
WHERE b.space = :space AND b.id = :id AND b.version >= :first AND b.version < :before
ORDER BY b.version DESC;

-- name: add_block
INSERT INTO blocks (
  space, id, scope, created_at, known_from, version, name, description, content, tokens,
  limit_tokens, counted_by, overflow, moved, archived, read_only, deleted_at)
VALUES (
  :space, :id, :scope, :created_at, :known_from, :version, :name, :description, :content, :tokens,
  :limit_tokens, :counted_by, :overflow, :moved, :archived, :read_only, :deleted_at);

-- name: keep_block_version
-- Keep the present version before the block changes.
INSERT INTO block_versions (
  space, id, version, known_from, known_to, name, description, content, tokens, limit_tokens,
  counted_by, overflow, moved, archived, read_only, deleted_at)
SELECT
  space, id, version, known_from, :known_from, name, description, content, tokens, limit_tokens,
  counted_by, overflow, moved, archived, read_only, deleted_at
FROM blocks WHERE space = :space AND id = :id AND version = :was_version;

-- name: change_block
-- Only if the block is still in the expected version.
UPDATE blocks SET
  known_from = :known_from, version = :version, name = :name, description = :description,
  content = :content, tokens = :tokens, limit_tokens = :limit_tokens, counted_by = :counted_by,
  overflow = :overflow, moved = :moved, archived = :archived, read_only = :read_only,
  deleted_at = :deleted_at
WHERE space = :space AND id = :id AND version = :was_version;

-- name: stored_blocks
-- Every version of the blocks of one scope, as the audit trail covers them.
SELECT b.id, b.known_from, b.known_to, b.created_at, b.version, b.name, b.description,
       b.content, b.tokens, b.limit_tokens, b.counted_by, b.overflow, b.moved,
       b.archived, b.read_only, b.deleted_at
FROM block_states AS b
WHERE b.space = :space AND b.scope = :scope
ORDER BY b.id, b.known_from;

-- name: find_archived
-- The facts that hold the overflow of a block: their keys begin with its id.
SELECT {{columns}} FROM scopes AS s
JOIN facts AS f ON f.space = :space AND f.scope = s.id
WHERE {{visible}} AND f.key >= :first AND f.key < :last
ORDER BY f.id;

-- name: find_deleted_blocks
SELECT {{block_columns}} FROM scopes AS s
JOIN blocks AS b ON b.space = :space AND b.scope = s.id
WHERE {{visible}} AND b.deleted_at IS NOT NULL AND b.deleted_at <= :before
ORDER BY b.deleted_at LIMIT :limit;

-- name: remove_block_versions
DELETE FROM block_versions WHERE space = :space AND id = :id;

-- name: prune_block_versions
DELETE FROM block_versions WHERE space = :space AND id = :id AND version < :first;

-- name: blank_pruned_entries
-- Remove the content of the audit entries of pruned versions.
UPDATE audit SET reason = NULL, nonce = NULL
WHERE space = :space AND subject = :id AND scope = :scope AND action LIKE 'block.%' AND at < :before;

-- name: remove_block
DELETE FROM blocks WHERE space = :space AND id = :id;

-- name: blocks_within
SELECT {{block_columns}} FROM scopes AS s
JOIN blocks AS b ON b.space = :space AND b.scope = s.id
WHERE {{within}} ORDER BY b.id LIMIT :limit;
