-- name: link_of_chain
-- The hash of one entry of a scope's audit chain.
SELECT hash FROM audit WHERE space = :space AND scope = :scope AND seq = :seq;

-- name: adopt_chain
-- Give an empty scope the end of an imported audit chain.
UPDATE scopes SET head_seq = :head_seq, head_hash = :head_hash, digest_key = :digest_key
WHERE space = :space AND id = :id;

-- name: last_entry
SELECT scope, seq, at FROM audit WHERE space = :space AND number > 0 ORDER BY number DESC LIMIT 1;

-- name: newest_time
SELECT MAX(at) FROM audit WHERE space = :space AND scope = :scope;

-- name: put_last
-- Let an entry, which ends its chain, have the highest number: the newest change is found by it.
UPDATE audit SET number = (SELECT MAX(a.number) + 1 FROM audit AS a WHERE a.space = :space)
WHERE space = :space AND scope = :scope AND seq = :seq;

-- fragment: where.space
1 = 1

-- fragment: where.scope
scope = :scope

-- name: untrusted_permissions
-- The permissions of people from an untrusted source.
SELECT COUNT(*) FROM decisions
WHERE space = :space AND {{where}} AND trusted = 0 AND choice = 'allow';

-- name: mark_untrusted
-- Mark what people decided.
UPDATE decisions SET trusted = 0 WHERE space = :space AND decided_by = 'person' AND trusted = 1;

-- name: set_aside
-- Close a fact that will be overwritten, so that it does not violate a unique index until then.
UPDATE facts SET deleted_at = 0 WHERE space = :space AND id = :id;

-- name: passage_at
SELECT seq FROM passages
WHERE space = :space AND record = :record AND start = :start AND length = :length;

-- name: erasure_of
-- Whether a record was erased in a scope.
SELECT 1 FROM audit
WHERE space = :space AND subject = :id AND scope = :scope AND action = 'erase' LIMIT 1;

-- name: same_statement
-- The open fact with the same statement.
SELECT id FROM facts
WHERE space = :space AND scope = :scope AND kind = :kind AND fingerprint = :fingerprint
  AND retired_at IS NULL AND deleted_at IS NULL;

-- name: entity_named
SELECT entity FROM entity_names WHERE space = :space AND scope = :scope AND folded = :folded;
