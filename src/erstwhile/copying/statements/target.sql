-- name: find_link
-- The hash of one entry of a scope's audit chain.
SELECT hash FROM audit WHERE space = :space AND scope = :scope AND seq = :seq;

-- name: set_aside
-- A fact that is to be changed: until it is, it stands in the way of no other.
UPDATE facts SET deleted_at = 0 WHERE space = :space AND id = :id;
