-- name: shards
SELECT c.relname, get_shard_id_for_distribution_column(p.logicalrelid, $1::text)
  FROM pg_dist_partition AS p JOIN pg_class AS c ON c.oid = p.logicalrelid
  WHERE c.relnamespace = 'erstwhile'::regnamespace;

-- name: views
SELECT c.relname FROM pg_class AS c
  WHERE c.relkind = 'v' AND c.relnamespace = 'erstwhile'::regnamespace;

-- name: tables_with_triggers
SELECT DISTINCT c.relname
  FROM pg_trigger AS t JOIN pg_class AS c ON c.oid = t.tgrelid
  WHERE NOT t.tgisinternal AND c.relnamespace = 'erstwhile'::regnamespace;
