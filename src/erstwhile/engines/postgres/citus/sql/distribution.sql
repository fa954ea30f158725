-- name: is_distributed
SELECT 1 FROM pg_dist_partition WHERE logicalrelid = to_regclass('erstwhile.scopes');

-- name: undistributed_tables
-- The tables in the order of creation: each table comes after the tables that it refers to.
SELECT c.oid::regclass::text FROM pg_class AS c
  JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attname = 'space'
  WHERE c.relnamespace = 'erstwhile'::regnamespace AND c.relkind = 'r'
    AND c.oid NOT IN (SELECT logicalrelid FROM pg_dist_partition)
  ORDER BY c.oid;

-- name: first_table
-- The table beside which the others lie.
SELECT c.oid::regclass::text FROM pg_class AS c
  JOIN pg_dist_partition AS p ON p.logicalrelid = c.oid
  WHERE c.relnamespace = 'erstwhile'::regnamespace ORDER BY c.oid LIMIT 1;

-- name: left_behind
-- The tables whose rows, also deleted ones, are still on this server: they outlive an erasure.
SELECT c.oid::regclass::text FROM pg_class AS c
  JOIN pg_dist_partition AS p ON p.logicalrelid = c.oid
  WHERE c.relnamespace = 'erstwhile'::regnamespace AND pg_relation_size(c.oid) > 0;

-- name: undistributed_functions
SELECT p.oid::regprocedure::text FROM pg_proc AS p
  WHERE p.pronamespace = 'erstwhile'::regnamespace AND p.oid NOT IN (
    SELECT objid FROM pg_catalog.pg_dist_object WHERE classid = 'pg_proc'::regclass);

-- name: triggers
SELECT format('DROP TRIGGER %I ON %s', t.tgname, t.tgrelid::regclass),
    pg_get_triggerdef(t.oid)
  FROM pg_trigger AS t JOIN pg_class AS c ON c.oid = t.tgrelid
  WHERE c.relnamespace = 'erstwhile'::regnamespace AND NOT t.tgisinternal
    AND c.oid NOT IN (SELECT logicalrelid FROM pg_dist_partition);

-- name: dimensions
SELECT DISTINCT dimensions FROM erstwhile.embedders ORDER BY 1;

-- name: nodes
SELECT count(*) FILTER (WHERE shouldhaveshards), count(*) FILTER (WHERE groupid = 0),
  count(*) FILTER (WHERE NOT isactive OR NOT metadatasynced)
  FROM pg_dist_node WHERE noderole = 'primary';

-- name: tables_of_others
SELECT count(*) FROM pg_class WHERE relnamespace = 'erstwhile'::regnamespace
  AND relkind = 'r' AND NOT pg_has_role(current_user, relowner, 'USAGE');

-- name: clients
SELECT count(*) FROM pg_stat_activity WHERE application_name = 'erstwhile'
  AND datname = current_database() AND pid <> pg_backend_pid();

-- name: on_all_servers
SELECT n.nodename || ':' || n.nodeport, r.success, r.result
  FROM run_command_on_all_nodes($1, give_warning_for_connection_errors => true) AS r
  JOIN pg_dist_node AS n ON n.nodeid = r.nodeid ORDER BY 1;

-- name: room_for_locks
SELECT current_setting('max_locks_per_transaction')::bigint
  * (current_setting('max_connections')::bigint
     + current_setting('max_prepared_transactions')::bigint);
