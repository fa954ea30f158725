-- Requests with a key, so that a repeated one is known again. The transaction of the change writes the key.

-- name: mark_request
-- Write the key, or the answer to one's own request. No row is changed if the key is of another request.
INSERT INTO requests (space, key, digest, claim, made_at, answer)
VALUES (:space, :key, :digest, :claim, :now, :answer)
ON CONFLICT (space, key) DO UPDATE
SET answer = CASE requests.answer WHEN '' THEN '' ELSE excluded.answer END
WHERE requests.claim = excluded.claim;

-- name: find_request
SELECT digest, answer FROM requests
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
