-- name: messages_in_full
SELECT {{message_columns}}
FROM json_each(:ids) AS j
CROSS JOIN messages AS m ON m.space = :space AND m.id = j.value
CROSS JOIN scopes AS s ON s.space = :space AND s.id = m.scope;
