-- Facts that matter whatever is asked: pinned ones, and those about people, project and environment.

CREATE INDEX facts_pinned ON facts (space, scope, id) WHERE pinned = 1;
CREATE INDEX facts_standing ON facts (space, scope, kind, id)
  WHERE kind IN ('profile', 'project', 'environment');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
  ('facts', 'facts_pinned', '1000 1000 10 1'),
  ('facts', 'facts_standing', '10000 10000 100 30 1');
ANALYZE sqlite_schema;
