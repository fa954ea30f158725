-- name: add_passages
-- The passages of a record, as JSON: start, length, terms, wishes, embedded and stored text of each.
INSERT INTO passages (
  space, kind, record, number, passages, start, length, shelf, open, conversation, position,
  wishes, embedded, terms, stored)
SELECT :space, :kind, :record, j.place - 1, :passages, CAST(j.part ->> 0 AS BIGINT),
  CAST(j.part ->> 1 AS BIGINT), :shelf, :open, :conversation, :position,
  j.part ->> 3, CAST(j.part ->> 4 AS BIGINT), j.part ->> 2, j.part ->> 5
FROM jsonb_array_elements(CAST(:parts AS jsonb)) WITH ORDINALITY AS j (part, place)
RETURNING seq, number;
