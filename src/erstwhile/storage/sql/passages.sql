-- name: add_passage
INSERT INTO passages (
  space, kind, record, number, passages, start, length, partition, open, conversation, position,
  embedded, asks, terms, stored)
VALUES (:space, :kind, :record, :number, :passages, :start, :length, :partition, :open, :conversation,
  :position, :embedded, :asks, :terms, :stored)
RETURNING seq;

-- name: find_passages
SELECT seq, number, partition, open, terms FROM passages
WHERE space = :space AND record = :record ORDER BY number;

-- name: passages_of_record
SELECT number, start, length, terms, embedded, asks, stored, kind, open, passages FROM passages
WHERE space = :space AND record = :record ORDER BY number;

-- name: next_position
-- The position after the last record of a conversation.
SELECT COALESCE(MAX(position), 0) + 1 FROM passages
WHERE space = :space AND partition = :partition AND conversation = :conversation;

-- name: change_passage
UPDATE passages SET open = :open, terms = :terms WHERE space = :space AND seq = :seq;

-- name: remove_passages
DELETE FROM passages WHERE space = :space AND record = :record;

-- name: count_partition
-- Count a change of a partition, and the passages and terms that it added.
INSERT INTO partitions (space, id, scope, changes, passages, terms)
VALUES (:space, :partition, :scope, 1, :passages, :terms)
ON CONFLICT (space, id) DO UPDATE SET changes = partitions.changes + 1,
  passages = partitions.passages + excluded.passages, terms = partitions.terms + excluded.terms;

-- name: visible_partitions
-- The partitions of the visible scopes, with the number of their changes, passages and terms.
SELECT h.id, h.changes, h.passages, h.terms FROM scopes AS s
JOIN partitions AS h ON h.space = :space AND h.scope = s.id
WHERE {{visible}} ORDER BY h.id;

-- name: passage_numbered
SELECT terms, partition, open FROM passages WHERE space = :space AND seq = :seq;
