-- Facts that matter whatever is asked: pinned ones, and those about people, project and environment.

CREATE INDEX facts_pinned ON facts (space, scope, id) WHERE pinned = 1;
CREATE INDEX facts_standing ON facts (space, scope, kind, id)
  WHERE kind IN ('profile', 'project', 'environment');
