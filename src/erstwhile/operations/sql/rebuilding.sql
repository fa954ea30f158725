-- What can be derived from other rows, and is derived again by a repair.

-- fragment: searched.facts
facts AS t WHERE t.space = :space

-- fragment: searched.messages
-- A message that was undone, or has no text, is not searched.
messages AS t WHERE t.space = :space AND t.undone_at IS NULL AND t.content <> ''

-- fragment: searched.observations
observations AS t WHERE t.space = :space AND t.deleted_at IS NULL

-- fragment: searched.lessons
lessons AS t WHERE t.space = :space AND t.deleted_at IS NULL

-- fragment: searched.summaries
conversations AS t
WHERE t.space = :space AND t.deleted_at IS NULL AND t.summary IS NOT NULL AND t.summary <> ''

-- name: searched_records
-- A part of the records that should be searched, in the order of their ids.
SELECT t.id FROM {{searched}} AND t.id > :after ORDER BY t.id LIMIT :limit;

-- name: miscounted_partitions
SELECT p.partition, COUNT(*), COALESCE(SUM(CASE WHEN p.terms = '' THEN 0
  ELSE LENGTH(p.terms) - LENGTH(REPLACE(p.terms, ' ', '')) + 1 END), 0)
FROM passages AS p WHERE p.space = :space
GROUP BY p.partition
EXCEPT SELECT h.id, h.passages, h.terms FROM partitions AS h WHERE h.space = :space;

-- name: recount_partition
INSERT INTO partitions (space, id, scope, changes, passages, terms)
VALUES (:space, :partition, :scope, 1, :passages, :terms)
ON CONFLICT (space, id) DO UPDATE SET changes = partitions.changes + 1,
  passages = excluded.passages, terms = excluded.terms;

-- name: miscounted_conversations
SELECT c.id, COUNT(m.id) FROM conversations AS c
LEFT JOIN messages AS m ON m.space = :space AND m.conversation = c.id AND m.undone_at IS NULL
WHERE c.space = :space
GROUP BY c.id, c.messages HAVING COUNT(m.id) <> c.messages;

-- name: recount_conversation
UPDATE conversations SET messages = :messages WHERE space = :space AND id = :id;

-- name: unqueued_texts
-- Passages and decisions without a vector of the serving model that do not wait for one.
SELECT t.seq FROM (
  SELECT p.seq FROM passages AS p WHERE p.space = :space AND p.embedded = 1
  UNION ALL
  SELECT -d.number AS seq FROM decisions AS d WHERE d.space = :space) AS t
JOIN embedders AS e ON e.space = :space AND e.serving = 1
WHERE NOT EXISTS (
    SELECT 1 FROM vectors AS v
    WHERE v.space = :space AND v.embedder = e.id AND v.seq = t.seq)
  AND NOT EXISTS (SELECT 1 FROM outbox AS o WHERE o.space = :space AND o.seq = t.seq);
