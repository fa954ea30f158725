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

-- name: unvouched_permissions
-- How often a person allowed something here, according to a file that nobody vouches for.
SELECT COUNT(*) FROM decisions
WHERE space = :space AND scope = :scope AND vouched = 0 AND choice = 'allow';

-- name: passage_at
SELECT seq FROM passages
WHERE space = :space AND record = :record AND start = :start AND length = :length;

-- name: row_of_record
-- A record by its id, in whatever scope it is: the number of the scope, then the exported columns.
SELECT t.scope, {{columns}} FROM {{table}} AS t WHERE t.space = :space AND t.id = :id;

-- name: erasure_of
-- Whether a record was erased in a scope.
SELECT 1 FROM audit
WHERE space = :space AND subject = :id AND scope = :scope AND action = 'erase' LIMIT 1;

-- name: twin_of_fact
-- The open fact with the same statement.
SELECT id FROM facts
WHERE space = :space AND scope = :scope AND kind = :kind AND fingerprint = :fingerprint
  AND retired_at IS NULL AND deleted_at IS NULL;

-- name: entity_named
SELECT entity FROM entity_names WHERE space = :space AND scope = :scope AND folded = :folded;
