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

-- name: passage_at
SELECT seq FROM passages
WHERE space = :space AND record = :record AND start = :start AND length = :length;
