-- Times that a wrong clock stamped are found here; `storage/moves` moves them.

-- name: first_beyond
-- The first change after a time, and the last one up to it.
SELECT MIN(CASE WHEN at > :limit THEN at END), MAX(CASE WHEN at <= :limit THEN at END),
       COUNT(CASE WHEN at > :limit THEN 1 END), MAX(at)
FROM audit WHERE space = :space;

-- name: move_fact_uses
UPDATE fact_uses SET day = :day WHERE space = :space AND day > :day;

-- name: rewrite_entry
UPDATE audit SET digest = :digest, hash = :hash
WHERE space = :space AND scope = :scope AND seq = :seq;
