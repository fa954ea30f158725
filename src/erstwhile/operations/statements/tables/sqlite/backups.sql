-- name: new_chains
-- Find a scope of an attached older backup whose chain the newer backup does not continue.
SELECT 1 FROM older.scopes AS o WHERE NOT EXISTS (
  SELECT 1 FROM main.scopes AS n
  WHERE (n.space, n.id, n.digest_key) = (o.space, o.id, o.digest_key)
    AND (n.scope_user, n.scope_agent, n.scope_project, n.scope_session)
      = (o.scope_user, o.scope_agent, o.scope_project, o.scope_session)
    AND (o.head_seq = 0
      OR EXISTS (
        SELECT 1 FROM main.audit AS a
        WHERE (a.space, a.scope, a.seq, a.hash) = (o.space, o.id, o.head_seq, o.head_hash))
      OR EXISTS (
        SELECT 1 FROM main.audit AS s
        WHERE (s.space, s.scope, s.action) = (o.space, o.id, 'audit.seal')
          AND CAST(s.subject AS INTEGER) >= o.head_seq)))
LIMIT 1;
