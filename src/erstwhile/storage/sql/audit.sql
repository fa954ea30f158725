-- name: last_change_at
-- The time of the newest change. The condition covers all numbers. It lets SQLite start at the
-- newest row instead of sorting.
SELECT at, NULL FROM audit WHERE space = :space AND number > 0 ORDER BY number DESC LIMIT 1;

-- name: add_entry
INSERT INTO audit (space, scope, seq, at, actor, action, subject, reason, nonce, digest, hash)
VALUES (:space, :scope, :seq, :at, :actor, :action, :subject, :reason, :nonce, :digest, :hash);

-- fragment: entries.all
-- The newest entries of each visible scope.
a.number IN (
  SELECT a.number FROM audit AS a
  WHERE a.space = :space AND a.scope = s.id AND {{wanted}}
  ORDER BY a.seq DESC LIMIT :limit)

-- fragment: entries.one
a.subject >= :lowest AND a.subject <= :highest AND {{wanted}}

-- fragment: wanted
(a.at, a.seq, a.hash) < (:before_at, :before_seq, :before_hash)
  AND (CAST(:action AS TEXT) IS NULL OR a.action = :action)
  AND a.at >= :since AND a.at < :until

-- name: list_entries
-- Newest first. The numbers of a chain tell nothing about other scopes; the hash only separates
-- entries of two scopes with the same time and number.
SELECT a.seq, a.at, s.scope_user, s.scope_agent, s.scope_project, s.scope_session,
       a.actor, a.action, a.subject, a.reason, a.hash
FROM scopes AS s JOIN audit AS a ON a.space = :space AND a.scope = s.id AND {{entries}}
WHERE {{visible}}
ORDER BY a.at DESC, a.seq DESC, a.hash DESC LIMIT :limit;

-- name: visible_chains
SELECT s.id, s.head_seq, s.head_hash,
       s.scope_user, s.scope_agent, s.scope_project, s.scope_session
FROM scopes AS s WHERE {{visible}} ORDER BY s.id;

-- name: read_chain
-- A part of one scope's chain, in its order.
SELECT seq, at, actor, action, subject, reason, nonce, digest, hash, number, sealed FROM audit
WHERE space = :space AND scope = :scope AND seq > :after
ORDER BY seq LIMIT :limit;

-- name: stored_states
-- Every state of the facts of one scope, as the audit trail digests them.
SELECT f.id, f.known_from, f.known_to, f.kind, f.text, f.key, f.value, f.origin,
       f.source, f.recorded_at, f.trust, f.confidence, f.tier, f.evidence, f.valid_from, f.valid_to, f.expires_at,
       f.retired_at, f.ending, f.supersedes, f.superseded_by, f.pinned, f.entities,
       f.relations, f.tags, f.metadata, f.deleted_at
FROM fact_states AS f
WHERE f.space = :space AND f.scope = :scope
ORDER BY f.id, f.known_from;

-- name: blank_entries
-- For an erasure: remove the content about this subject from the chain of its scope, which stays
-- valid. No other chain is touched, even if somebody chose the same name for something there.
UPDATE audit SET reason = NULL, nonce = NULL
WHERE space = :space AND subject = :subject AND scope = :scope;

-- name: blank_chain
-- For the erasure of a scope: remove the content of its whole chain, also about what is gone already.
-- An unfinished erasure keeps its nonce, and so does a seal, which has no content.
UPDATE audit SET reason = NULL, nonce = NULL
WHERE space = :space AND scope = :scope AND action NOT IN ('erase', 'audit.seal')
  AND (nonce IS NOT NULL OR reason IS NOT NULL);

-- name: newest_seal
-- The seal of a chain: the number of the last sealed entry is its subject.
SELECT subject, reason, nonce, digest FROM audit
WHERE space = :space AND scope = :scope AND action = 'audit.seal' ORDER BY seq DESC LIMIT 1;

-- name: acts_on
-- What was done to a record, and by whom, newest first.
SELECT action, actor FROM audit
WHERE space = :space AND scope = :scope AND subject = :subject ORDER BY seq DESC;
