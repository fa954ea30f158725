-- name: add_record_text
INSERT INTO record_texts (space, kind, record, scope, terms)
VALUES (:space, :kind, :record, :scope, :terms)
RETURNING seq;

-- name: find_record_text
SELECT seq FROM record_texts WHERE space = :space AND record = :record;

-- name: remove_record_text
DELETE FROM record_texts WHERE space = :space AND seq = :seq;
