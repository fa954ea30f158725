-- name: server_time
-- A file has no clock of its own.
SELECT NULL;
