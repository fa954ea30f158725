-- name: server_time
-- The time of the server, in microseconds.
SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS BIGINT);
