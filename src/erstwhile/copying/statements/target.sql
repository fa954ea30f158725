-- name: find_link
-- The hash of one entry of a scope's audit chain.
SELECT hash FROM audit WHERE space = :space AND scope = :scope AND seq = :seq;

-- name: set_aside
-- Close a fact that will be overwritten, so that it does not violate a unique index until then.
UPDATE facts SET deleted_at = 0 WHERE space = :space AND id = :id;

-- name: unvouched_permissions
-- How often a person allowed something, according to a source that nobody vouches for.
SELECT COUNT(*) FROM decisions WHERE space = :space AND vouched = 0 AND choice = 'allow';

-- name: unvouch
-- Mark what people decided.
UPDATE decisions SET vouched = 0 WHERE space = :space AND decided_by = 'person' AND vouched = 1;
