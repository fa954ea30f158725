-- name: add_passage
INSERT INTO passages (
  space, kind, record, number, passages, start, length, shelf, open, conversation, position,
  embedded, terms, stored)
VALUES (:space, :kind, :record, :number, :passages, :start, :length, :shelf, :open, :conversation,
  :position, :embedded, :terms, :stored)
RETURNING seq;

-- name: find_passages
SELECT seq, number, shelf, open, terms FROM passages
WHERE space = :space AND record = :record ORDER BY number;

-- name: passages_of_record
SELECT number, start, length, terms, embedded, stored, kind, open, passages FROM passages
WHERE space = :space AND record = :record ORDER BY number;

-- name: next_position
-- The position after the last record of a conversation.
SELECT COALESCE(MAX(position), 0) + 1 FROM passages
WHERE space = :space AND shelf = :shelf AND conversation = :conversation;

-- name: change_passage
UPDATE passages SET open = :open, terms = :terms WHERE space = :space AND seq = :seq;

-- name: remove_passages
DELETE FROM passages WHERE space = :space AND record = :record;

-- name: count_shelf
-- Count a change of a shelf, and the passages and terms that it added.
INSERT INTO shelves (space, id, scope, changes, passages, terms)
VALUES (:space, :shelf, :scope, 1, :passages, :terms)
ON CONFLICT (space, id) DO UPDATE SET changes = shelves.changes + 1,
  passages = shelves.passages + excluded.passages, terms = shelves.terms + excluded.terms;

-- name: visible_shelves
-- The shelves of the visible scopes, with the number of their changes, passages and terms.
SELECT h.id, h.changes, h.passages, h.terms FROM scopes AS s
JOIN shelves AS h ON h.space = :space AND h.scope = s.id
WHERE {{visible}} ORDER BY h.id;

-- name: passage_numbered
SELECT terms, shelf, open FROM passages WHERE space = :space AND seq = :seq;
