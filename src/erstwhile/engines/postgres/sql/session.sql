-- name: set_settings
-- random_page_cost: our statements read few rows, from memory or a solid-state disk. With the
-- default, the server overestimates the cost of single rows and scans whole tables.
-- plan_cache_mode: one plan for all spaces. A plan for a space that is newer than the statistics
-- takes it for empty and scans all of it. Citus has to know the space when it plans; the servers
-- that it asks then make one plan for all spaces.
SELECT set_config('erstwhile.space', $1, true), set_config('search_path', $2, true),
  set_config('role', $3, true), set_config('random_page_cost', '1.1', true),
  set_config('plan_cache_mode', $6, true),
  set_config('lock_timeout', $4, true),
  set_config('statement_timeout', $5, true),
  set_config('idle_in_transaction_session_timeout', $5, true);

-- name: number_change
INSERT INTO commits (space, client, number, stored_at) VALUES ($1, $2, $3, $4)
  ON CONFLICT (space, client) DO UPDATE SET number = excluded.number, stored_at = excluded.stored_at
  RETURNING number;

-- name: last_number
-- It waits for a transaction of the client that is still running, because both write the same row.
INSERT INTO commits (space, client, number, stored_at) VALUES ($1, $2, 0, $3)
  ON CONFLICT (space, client) DO UPDATE SET stored_at = excluded.stored_at
  RETURNING number;

-- name: add_channel
INSERT INTO wake_channels (space, name) VALUES ($1, $2)
  ON CONFLICT (space) DO NOTHING;

-- name: forget_clients
DELETE FROM commits WHERE space = $1 AND client IN (
  SELECT c.client FROM commits AS c WHERE c.space = $1 AND c.stored_at < $2 LIMIT $3);

-- name: size
SELECT sum(pg_total_relation_size(oid)) FROM pg_class
  WHERE relkind = 'r' AND relnamespace = 'erstwhile'::regnamespace;

-- name: size_on_all_servers
SELECT sum(citus_total_relation_size(logicalrelid, false)) FROM pg_dist_partition
  JOIN pg_class AS c ON c.oid = logicalrelid WHERE c.relnamespace = 'erstwhile'::regnamespace;
