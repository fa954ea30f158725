-- fragment: next_message
next_message(:space, :conversation)

-- name: messages_in_full
WITH listed AS MATERIALIZED (
  SELECT each AS id FROM jsonb_array_elements_text(CAST(:ids AS jsonb)) AS each)
SELECT {{message_columns}} FROM listed AS j
JOIN messages AS m ON m.space = :space AND m.id = j.id
JOIN scopes AS s ON s.space = :space AND s.id = m.scope;
