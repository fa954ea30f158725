-- name: add_passages
-- The passages of a record, as JSON: start, length, terms, wishes, embedded and stored text of each.
INSERT INTO passages (
  space, kind, record, number, passages, start, length, shelf, open, conversation, position,
  wishes, embedded, terms, stored)
SELECT :space, :kind, :record, j.key, :passages, j.value ->> 0, j.value ->> 1, :shelf, :open,
  :conversation, :position, j.value ->> 3, j.value ->> 4, j.value ->> 2, j.value ->> 5
FROM json_each(:parts) AS j
RETURNING seq, number;
