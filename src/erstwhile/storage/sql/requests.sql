-- Requests with a key, so that a repeated one is known again. The transaction of the change writes the key.

-- name: mark_request
-- Write the key, or the answer to one's own request. No row is changed if the key is of another try, unless that
-- one was cut short. The answer to an erasure repeats nothing that was erased, so it is kept after one.
INSERT INTO requests (space, key, digest, claim, made_at, answer)
VALUES (:space, :key, :digest, :claim, :now, :answer)
ON CONFLICT (space, key) DO UPDATE
SET claim = excluded.claim, made_at = excluded.made_at,
    answer = CASE WHEN requests.answer = '' AND (:erases = 0 OR excluded.answer IS NULL) THEN ''
             ELSE excluded.answer END
WHERE requests.claim = excluded.claim
   OR (requests.digest = excluded.digest AND requests.made_at < :expired
       AND (requests.answer IS NULL OR (requests.answer = '' AND :erases = 1)));

-- name: find_request
SELECT digest, answer, made_at FROM requests
WHERE space = :space AND key = :key AND made_at >= :since;

-- name: release_request
-- A request that failed after its first transaction was not carried out: it may be tried again.
DELETE FROM requests WHERE space = :space AND key = :key AND claim = :claim AND answer IS NULL;

-- name: forget_requests
DELETE FROM requests WHERE space = :space AND made_at < :since;

-- name: forget_answers
-- An answer may repeat what was erased, also one that is still on its way: it is empty from now on. The key
-- stays, because the request was carried out.
UPDATE requests SET answer = '' WHERE space = :space;
