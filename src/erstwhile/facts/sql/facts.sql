-- fragment: columns
{{lasting_columns}}, f.deleted_at

-- fragment: listed_columns
{{columns}}

-- fragment: listed_columns.past
-- A deleted fact is hidden at all times, so it was deleted then, too.
{{lasting_columns}}, COALESCE(f.deleted_at, (
  SELECT d.deleted_at FROM facts AS d WHERE d.space = :space AND d.id = f.id))

-- fragment: lasting_columns
f.id, s.scope_user, s.scope_agent, s.scope_project, s.scope_session, f.kind, f.text, f.key,
f.value, f.entities, f.relations, f.tags, f.metadata, f.confidence, f.tier, f.evidence, f.origin, f.trust,
f.source, f.valid_from, f.valid_to, f.recorded_at, f.known_from, f.retired_at, f.ending,
f.supersedes, f.superseded_by, f.expires_at, f.pinned

-- fragment: facts.current
facts

-- fragment: facts.past
-- Each fact in the state that was known then: its current state or an earlier version.
(SELECT
  now.space, now.id, now.scope, now.text, now.key, now.value, now.origin, now.source, now.recorded_at,
  COALESCE(was.kind, now.kind) AS kind, COALESCE(was.tier, now.tier) AS tier, COALESCE(was.trust, now.trust) AS trust,
  COALESCE(was.known_from, now.known_from) AS known_from, COALESCE(was.pinned, now.pinned) AS pinned,
  COALESCE(was.confidence, now.confidence) AS confidence, COALESCE(was.evidence, now.evidence) AS evidence,
  COALESCE(was.supersedes, now.supersedes) AS supersedes, COALESCE(was.expires_at, now.expires_at) AS expires_at,
  COALESCE(was.valid_from, now.valid_from) AS valid_from, COALESCE(was.valid_to, now.valid_to) AS valid_to,
  CASE WHEN was.id IS NULL THEN now.retired_at ELSE was.retired_at END AS retired_at,
  CASE WHEN was.id IS NULL THEN now.ending ELSE was.ending END AS ending,
  CASE WHEN was.id IS NULL THEN now.superseded_by ELSE was.superseded_by END AS superseded_by,
  COALESCE(was.entities, now.entities) AS entities, COALESCE(was.relations, now.relations) AS relations,
  COALESCE(was.tags, now.tags) AS tags, COALESCE(was.metadata, now.metadata) AS metadata,
  CASE WHEN was.id IS NULL THEN now.deleted_at ELSE was.deleted_at END AS deleted_at
FROM facts AS now
LEFT JOIN fact_versions AS was ON was.space = :space AND was.id = now.id
  AND was.known_from <= :known_at AND was.known_to > :known_at
WHERE now.space = :space AND (now.known_from <= :known_at OR was.id IS NOT NULL))

-- fragment: hidden.current
f.deleted_at IS NOT NULL

-- fragment: hidden.past
-- A deleted fact is hidden at all times. A restored fact stays hidden for the time in between.
(f.deleted_at IS NOT NULL OR {{deleted_now}})

-- fragment: deleted_now
EXISTS (SELECT 1 FROM facts AS d
        WHERE d.space = :space AND d.id = f.id AND d.deleted_at IS NOT NULL)

-- fragment: holds
f.valid_from <= :as_of AND f.valid_to > :as_of AND f.expires_at > :as_of

-- fragment: state.live
NOT ({{hidden}}) AND f.trust = 'trusted' AND {{holds}}

-- fragment: state.held
-- Live, or true at some moment of a period.
NOT ({{hidden}}) AND f.trust = 'trusted' AND (({{holds}}) OR (
  f.valid_from < :held_to AND f.valid_to > :held_from AND f.expires_at > :held_from
  AND f.valid_to > f.valid_from))

-- fragment: state.soon
-- Live, or live from some moment on before a given one.
NOT ({{hidden}}) AND f.trust = 'trusted' AND (({{holds}}) OR (
  f.valid_from > :as_of AND f.valid_from < :begins_before
  AND f.valid_to > f.valid_from AND f.expires_at > f.valid_from))

-- fragment: state.quarantined
NOT ({{hidden}}) AND f.trust = 'quarantined' AND {{holds}}

-- fragment: state.upcoming
NOT ({{hidden}})
  AND f.valid_from > :as_of AND f.valid_to > f.valid_from AND f.expires_at > f.valid_from

-- fragment: state.retired
NOT ({{hidden}})
  AND (f.valid_to <= :as_of OR f.expires_at <= :as_of
       OR f.valid_to <= f.valid_from OR f.expires_at <= f.valid_from)

-- fragment: state.deleted
{{hidden}}

-- fragment: state.any
NOT ({{hidden}})

-- fragment: fact_kept.present
NOT ({{hidden}})

-- fragment: fact_kept.deleted
{{hidden}}

-- fragment: candidates.all
{{facts}} AS f

-- fragment: candidates.keyed
(SELECT CAST(:key AS TEXT) AS key) AS c JOIN {{facts}} AS f ON f.key = c.key

-- fragment: candidates.tagged
fact_tags AS c JOIN {{facts}} AS f
  ON f.space = :space AND f.scope = c.scope AND f.id = c.fact AND c.space = :space AND c.tag = :tag

-- fragment: candidates.naming
entity_names AS n
JOIN fact_entities AS c ON c.space = :space AND c.entity = n.entity
JOIN {{facts}} AS f
  ON f.space = :space AND f.scope = n.scope AND f.id = c.fact
  AND n.space = :space AND n.folded = :entity

-- fragment: place.all
f.id

-- fragment: place.keyed
f.id

-- fragment: place.tagged
c.fact

-- fragment: place.naming
c.fact

-- fragment: matching
{{state}} AND {{matching_columns}} AND {{matching_labels}}

-- fragment: matching_columns
(:kinds = '' OR :kinds LIKE '%,' || f.kind || ',%')
  AND (CAST(:key AS TEXT) IS NULL OR f.key = :key)
  AND f.recorded_at >= :since AND f.recorded_at < :until
  AND (CAST(:contains AS TEXT) IS NULL OR folded(f.text) LIKE :contains ESCAPE '\')
  AND (CAST(:source AS TEXT) IS NULL OR substr(f.source, 1, length(:source)) = :source)
  AND (CAST(:metadata AS TEXT) IS NULL OR {{has_metadata}})

-- fragment: matching_labels
-- The index of tags also has those that were removed; they are in the column of that time.
(CAST(:tag AS TEXT) IS NULL OR folded(f.tags) LIKE :tagged ESCAPE '\' AND EXISTS (
    SELECT 1 FROM fact_tags AS t
    WHERE t.space = :space AND t.scope = f.scope AND t.tag = :tag AND t.fact = f.id
      AND t.since <= :known_at))
  AND (CAST(:entity AS TEXT) IS NULL OR EXISTS (
    SELECT 1 FROM entity_names AS n
    JOIN fact_entities AS m ON m.space = :space AND m.entity = n.entity
    WHERE n.space = :space AND n.scope = f.scope AND n.folded = :entity
      AND m.fact = f.id AND m.since <= :known_at))

-- name: list_facts
-- Newest first. The inner select takes a page from each visible scope by an index, so that a
-- page costs the same in a small memory and in a large one.
SELECT {{listed_columns}} FROM scopes AS s
JOIN {{facts}} AS f ON f.space = :space AND f.id IN (
  SELECT {{place}} FROM {{candidates}}
  WHERE f.space = :space AND f.scope = s.id AND {{place}} < :before AND {{matching}}
  ORDER BY {{place}} DESC LIMIT :limit)
WHERE {{visible}}
ORDER BY f.id DESC LIMIT :limit;

-- name: count_facts
SELECT COUNT(*) FROM scopes AS s, {{candidates}}
WHERE {{visible}} AND f.space = :space AND f.scope = s.id AND {{matching}};

-- name: tally_facts
-- The number of facts of each kind.
SELECT f.kind, COUNT(*) FROM scopes AS s
JOIN {{facts}} AS f ON f.space = :space AND f.scope = s.id
WHERE {{visible}} AND {{state}}
GROUP BY f.kind ORDER BY f.kind;

-- name: tally_recorded
-- The number of facts by the day on which they were stored: days since 1970 in UTC.
SELECT f.recorded_at / 86400000000, COUNT(*) FROM scopes AS s
JOIN {{facts}} AS f ON f.space = :space AND f.scope = s.id
WHERE {{visible}} AND {{state}}
GROUP BY f.recorded_at / 86400000000 ORDER BY f.recorded_at / 86400000000;

-- name: count_in_scopes
-- The visible scopes, with the number of facts of each.
SELECT COUNT(f.id), {{its_dimensions}} FROM scopes AS s
LEFT JOIN facts AS f ON f.space = :space AND f.scope = s.id AND {{state}}
WHERE {{visible}}
GROUP BY {{its_dimensions}} ORDER BY {{its_dimensions}};

-- name: tally_tags
-- The lists of tags, with the number of facts that have each list.
SELECT f.tags, COUNT(*) FROM scopes AS s
JOIN {{facts}} AS f ON f.space = :space AND f.scope = s.id
WHERE {{visible}} AND {{state}} AND f.tags <> '[]'
GROUP BY f.tags ORDER BY f.tags;

-- name: find_facts
-- The visible facts whose ids lie between two ids. A few rows show whether an id is ambiguous.
SELECT {{columns}} FROM {{facts}} AS f
JOIN scopes AS s ON s.space = :space AND s.id = f.scope
WHERE f.space = :space AND f.id >= :lowest AND f.id <= :highest
  AND {{visible}} AND {{fact_kept}}
ORDER BY f.id LIMIT 5;

-- name: find_duplicate
-- The open fact of exactly this scope and kind with the same text.
SELECT {{columns}} FROM facts AS f
JOIN scopes AS s ON s.space = :space AND s.id = f.scope
WHERE f.space = :space AND f.scope = :scope AND f.kind = :kind AND f.fingerprint = :fingerprint
  AND f.retired_at IS NULL AND f.deleted_at IS NULL;

-- name: list_rejected
-- The facts that others than agents rejected, retired as wrong or deleted, newest first.
SELECT {{columns}} FROM scopes AS s CROSS JOIN facts AS f
WHERE {{visible}} AND f.space = :space AND f.scope = s.id
  AND (f.ending = 'wrong' OR f.deleted_at IS NOT NULL)
  AND EXISTS (
    SELECT 1 FROM audit AS a
    WHERE a.space = :space AND a.subject = f.id AND a.scope = f.scope
      AND (f.ending = 'wrong' AND a.at = f.retired_at
        AND a.action IN ('reject', 'retire', 'supersede')
        OR a.at = f.deleted_at AND a.action = 'delete')
      AND SUBSTR(a.actor, 1, LENGTH(CAST(:agents AS TEXT))) <> CAST(:agents AS TEXT))
ORDER BY f.id DESC LIMIT :limit;

-- name: find_ended
-- The fact of exactly this scope with the same text that ended after a moment, or was wrong.
SELECT {{columns}} FROM facts AS f
JOIN scopes AS s ON s.space = :space AND s.id = f.scope
WHERE f.space = :space AND f.scope = :scope AND f.fingerprint = :fingerprint
  AND f.retired_at IS NOT NULL AND f.retired_at > :moment AND f.deleted_at IS NULL
  AND (f.valid_to > :moment OR f.ending = 'wrong')
ORDER BY f.id DESC LIMIT 1;

-- name: find_values
-- The values of a key in exactly this scope that are true at or after a moment.
SELECT {{columns}} FROM facts AS f
JOIN scopes AS s ON s.space = :space AND s.id = f.scope
WHERE f.space = :space AND f.scope = :scope AND f.key = :key AND f.deleted_at IS NULL
  AND (f.retired_at IS NULL OR (f.valid_to > :since AND f.valid_to > f.valid_from))
ORDER BY f.id;

-- fragment: narrowest
s.scope_user <> '' DESC, s.scope_agent <> '' DESC, s.scope_project <> '' DESC,
  s.scope_session <> '' DESC

-- name: find_value
-- The newest value of a key in the narrowest scope that has one.
SELECT {{columns}} FROM scopes AS s
JOIN {{facts}} AS f ON f.space = :space AND f.scope = s.id
WHERE {{visible}} AND f.key = :key AND {{state}}
ORDER BY {{narrowest}}, f.id DESC
LIMIT 1;

-- fragment: is_value
-- The archived text of a block is no value: its key is the block's id, a version and a number. Nor
-- is an item that another program keeps here.
f.key NOT LIKE '________-____-____-____-____________/______/___' AND f.key NOT LIKE 'item:%'

-- name: list_values
-- The values of all keys; for each key the narrowest scope first, then the newest first.
SELECT {{columns}} FROM scopes AS s
JOIN {{facts}} AS f ON f.space = :space AND f.scope = s.id
WHERE {{visible}} AND f.key IS NOT NULL AND {{is_value}} AND {{state}}
ORDER BY f.key, {{narrowest}}, f.id DESC;

-- fragment: always.pinned
f.pinned = 1

-- fragment: always.profile
{{of_standing_kind}} AND f.kind = 'profile'

-- fragment: always.instruction
{{of_standing_kind}} AND f.kind = 'instruction'

-- fragment: always.project
{{of_standing_kind}} AND f.kind = 'project'

-- fragment: always.environment
{{of_standing_kind}} AND f.kind = 'environment'

-- fragment: of_standing_kind
-- The exact condition of the index `facts_standing`, so that SQLite uses the index.
f.kind IN ('profile', 'instruction', 'project', 'environment')

-- name: list_standing
-- Facts that every prompt gets, newest first; a page from each visible scope by an index.
SELECT {{columns}} FROM scopes AS s
JOIN {{facts}} AS f ON f.space = :space AND f.id IN (
  SELECT f.id FROM {{facts}} AS f
  WHERE f.space = :space AND f.scope = s.id AND {{always}} AND {{state}}
  ORDER BY f.id DESC LIMIT :limit)
WHERE {{visible}}
ORDER BY f.id DESC LIMIT :limit;

-- name: conversations_between
-- The visible conversations, deleted or not, whose ids lie between two ids.
SELECT c.id FROM scopes AS s
JOIN conversations AS c ON c.space = :space AND c.scope = s.id
WHERE {{visible}} AND c.id >= :lowest AND c.id <= :highest
ORDER BY c.id LIMIT 5;

-- name: find_retired
-- Facts that match, ended before a moment: retired, or expired.
SELECT {{columns}} FROM scopes AS s, {{candidates}}
WHERE {{visible}} AND f.space = :space AND f.scope = s.id AND {{matching}}
  AND COALESCE(f.retired_at, f.expires_at) <= :before
ORDER BY f.id LIMIT :limit;

-- name: count_retired
SELECT COUNT(*), {{its_dimensions}} FROM scopes AS s, {{candidates}}
WHERE {{visible}} AND f.space = :space AND f.scope = s.id AND {{matching}}
  AND COALESCE(f.retired_at, f.expires_at) <= :before
GROUP BY {{its_dimensions}} ORDER BY {{its_dimensions}};

-- fragment: its_dimensions
s.scope_user, s.scope_agent, s.scope_project, s.scope_session

-- name: find_deleted
-- Deleted facts, oldest deletion first.
SELECT {{columns}} FROM scopes AS s
JOIN facts AS f ON f.space = :space AND f.scope = s.id
WHERE {{visible}} AND f.deleted_at <= :before
ORDER BY f.deleted_at, f.id LIMIT :limit;

-- name: fact_before
-- The state of a fact that was known at a given moment.
SELECT {{columns}} FROM {{facts}} AS f
JOIN scopes AS s ON s.space = :space AND s.id = f.scope
WHERE f.space = :space AND f.id = :id;

-- name: moved_from
-- The fact that was moved to become this one: only a move links facts of different scopes.
SELECT {{columns}} FROM facts AS f
JOIN scopes AS s ON s.space = :space AND s.id = f.scope
WHERE f.space = :space AND f.superseded_by = :id AND f.scope <> {{its_scope}};

-- name: former_places
-- The id and the scope that a fact had before it was moved to this scope.
SELECT f.id, f.scope FROM facts AS f
WHERE f.space = :space AND f.superseded_by = :id AND f.scope <> :scope;

-- fragment: its_scope
(SELECT d.scope FROM facts AS d WHERE d.space = :space AND d.id = :id)

-- name: fact_chain
-- A fact, its predecessors in its scope and all its successors. So a query about the past reads only
-- the facts of this scope; `Facts.history` follows moves to other scopes.
WITH RECURSIVE earlier (id) AS (
  SELECT f.id FROM facts AS f WHERE f.space = :space AND f.id = :id
  UNION
  SELECT f.id FROM {{facts}} AS f JOIN earlier AS e ON f.superseded_by = e.id
  WHERE f.space = :space AND f.scope = {{its_scope}}
), later (id) AS (
  SELECT f.id FROM facts AS f WHERE f.space = :space AND f.id = :id
  UNION
  SELECT f.superseded_by FROM {{facts}} AS f JOIN later AS l ON f.id = l.id
  WHERE f.space = :space AND f.superseded_by IS NOT NULL
)
SELECT id FROM earlier UNION SELECT id FROM later;

-- name: fact_changes
-- The history of one fact: each change with the state after it.
SELECT a.at, a.action, a.actor, a.reason, {{columns}} FROM fact_states AS f
JOIN scopes AS s ON s.space = :space AND s.id = f.scope
JOIN audit AS a ON a.space = :space AND a.subject = f.id AND a.at = f.known_from
WHERE f.space = :space AND f.id = :id AND {{visible}} AND f.known_from <= :known_at
  AND NOT ({{deleted_now}})
ORDER BY f.known_from;

-- name: add_fact
INSERT INTO facts (
  space, id, scope, kind, text, key, value, fingerprint, origin, source, recorded_at,
  known_from, trust, confidence, tier, evidence, valid_from, valid_to, expires_at, retired_at,
  ending, supersedes, superseded_by, pinned, entities, relations, tags, metadata,
  deleted_at)
VALUES (
  :space, :id, :scope, :kind, :text, :key, :value, :fingerprint, :origin, :source, :recorded_at,
  :known_from, :trust, :confidence, :tier, :evidence, :valid_from, :valid_to, :expires_at,
  :retired_at, :ending, :supersedes, :superseded_by, :pinned, :entities, :relations,
  :tags, :metadata, :deleted_at);

-- name: keep_version
-- Store the current state of a fact as a version before it changes.
INSERT INTO fact_versions (
  space, id, known_from, known_to, kind, trust, confidence, tier, evidence, valid_from, valid_to,
  expires_at, retired_at, ending, supersedes, superseded_by, pinned, entities, relations,
  tags, metadata, deleted_at)
SELECT
  space, id, known_from, :known_from, kind, trust, confidence, tier, evidence, valid_from, valid_to,
  expires_at, retired_at, ending, supersedes, superseded_by, pinned, entities, relations,
  tags, metadata, deleted_at
FROM facts WHERE space = :space AND id = :id AND known_from = :was_known_from;

-- name: change_fact
-- Change the fact only if it is still in the state that the change is based on.
UPDATE facts SET
  known_from = :known_from, kind = :kind, trust = :trust, confidence = :confidence, tier = :tier,
  evidence = :evidence, valid_from = :valid_from, valid_to = :valid_to, expires_at = :expires_at,
  retired_at = :retired_at, ending = :ending, supersedes = :supersedes,
  superseded_by = :superseded_by, pinned = :pinned, entities = :entities, relations = :relations,
  tags = :tags, metadata = :metadata, deleted_at = :deleted_at
WHERE space = :space AND id = :id AND known_from = :was_known_from;

-- name: add_tag
INSERT INTO fact_tags (space, scope, tag, fact, since)
VALUES (:space, :scope, :tag, :fact, :since)
ON CONFLICT DO NOTHING;
