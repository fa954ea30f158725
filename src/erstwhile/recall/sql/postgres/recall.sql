-- Lists are JSON parameters and are read first. With row-level security PostgreSQL uses no index for
-- values that it still has to compute from a list.

-- fragment: listed
WITH listed AS MATERIALIZED (
  SELECT CAST(each AS BIGINT) AS seq FROM jsonb_array_elements_text(CAST(:seqs AS jsonb)) AS each)

-- fragment: labels.labelled
{{matching_labels}}

-- fragment: labels.unlabelled
-- No tag and no entity is wanted. With these tables, the server would plan a scan of all of them until it
-- has measured them, and Citus would plan them for each query.
TRUE

-- name: fact_candidates
-- The passages with these numbers whose facts pass the filters.
{{listed}}
SELECT {{passage_columns}}, 1 FROM listed AS j
JOIN passages AS p ON p.seq = j.seq AND p.space = :space AND p.kind = 'facts'
JOIN {{facts}} AS f ON f.space = :space AND f.id = p.record
JOIN scopes AS s ON s.space = :space AND s.id = f.scope
WHERE {{visible}} AND {{state}} AND {{matching_columns}} AND {{labels}};

-- name: message_candidates
-- The passages with these numbers whose messages pass the filters.
{{listed}}
SELECT {{passage_columns}}, CASE WHEN m.role = 'user' THEN 1 ELSE 0 END FROM listed AS j
JOIN passages AS p ON p.seq = j.seq AND p.space = :space AND p.kind = 'messages'
JOIN messages AS m ON m.space = :space AND m.id = p.record
JOIN conversations AS c ON c.space = :space AND c.id = m.conversation
JOIN scopes AS s ON s.space = :space AND s.id = m.scope
WHERE {{visible}} AND {{message_narrowed}};

-- name: note_candidates
-- The passages with these numbers whose observations, lessons and summaries pass the filters.
{{listed}}, chosen AS MATERIALIZED (
  SELECT p.* FROM listed AS l JOIN passages AS p ON p.seq = l.seq AND p.space = :space)
SELECT {{passage_columns}}, 1 FROM chosen AS p
JOIN partitions AS h ON h.space = :space AND h.id = p.partition
JOIN scopes AS s ON s.space = :space AND s.id = h.scope
{{note_sources}}
WHERE {{visible}} AND {{note_narrowed}};

-- name: facts_in_full
-- The full facts, and whether they have usage signals.
WITH listed AS MATERIALIZED (
  SELECT each AS id FROM jsonb_array_elements_text(CAST(:ids AS jsonb)) AS each)
SELECT {{used}}, {{columns}} FROM listed AS j
JOIN {{facts}} AS f ON f.space = :space AND f.id = j.id
JOIN scopes AS s ON s.space = :space AND s.id = f.scope;

-- name: neighbours
-- The records next to short records in their conversations, with the terms of their beginning.
{{listed}}, centres AS MATERIALIZED (
  SELECT p.seq, p.partition, p.conversation, p.position,
    p.position - :reach AS lowest, p.position + :reach AS highest
  FROM listed AS l JOIN passages AS p ON p.seq = l.seq AND p.space = :space)
SELECT c.seq, n.seq, n.position - c.position, n.passages, n.terms FROM centres AS c
JOIN passages AS n ON n.space = :space AND n.partition = c.partition
  AND n.conversation = c.conversation
  AND n.position BETWEEN c.lowest AND c.highest AND n.seq <> c.seq
WHERE n.number = 0 AND n.open = 1;

-- name: named_entities
-- The visible entities with one of these folded names, and all their names. An entity is visible
-- if a fact about it is visible.
WITH listed AS MATERIALIZED (
  SELECT each AS name FROM jsonb_array_elements_text(CAST(:names AS jsonb)) AS each),
named AS MATERIALIZED (
  SELECT g.folded, g.entity FROM listed AS l
  CROSS JOIN scopes AS s
  JOIN entity_names AS g ON g.space = :space AND g.scope = s.id AND g.folded = l.name
  WHERE {{visible}})
SELECT DISTINCT g.folded, n.name FROM named AS g
JOIN entity_names AS n ON n.space = :space AND n.entity = g.entity
WHERE EXISTS (
  SELECT 1 FROM fact_entities AS m JOIN facts AS f ON f.space = :space AND f.id = m.fact
  WHERE m.space = :space AND m.entity = g.entity AND m.since <= :known_at
    AND f.trust = 'trusted' AND f.deleted_at IS NULL);

-- name: mentioning
-- Facts that share an entity with the given facts, newest first.
WITH listed AS MATERIALIZED (
  SELECT each AS fact FROM jsonb_array_elements_text(CAST(:facts AS jsonb)) AS each)
SELECT {{columns}} FROM {{facts}} AS f
JOIN scopes AS s ON s.space = :space AND s.id = f.scope
WHERE f.space = :space AND f.id IN (
  SELECT o.fact FROM listed AS l
  JOIN fact_entities AS i ON i.space = :space AND i.fact = l.fact
  JOIN fact_entities AS o ON o.space = :space AND o.entity = i.entity
  WHERE o.since <= :known_at)
  AND {{visible}} AND {{matching}}
ORDER BY f.id DESC LIMIT :limit;

-- name: uses_before
-- The use of facts by a viewer, without erased facts.
WITH listed AS MATERIALIZED (
  SELECT each AS fact FROM jsonb_array_elements_text(CAST(:facts AS jsonb)) AS each)
SELECT f.id, f.kind, u.day, u.queries, u.earlier FROM listed AS l
JOIN facts AS f ON f.space = :space AND f.id = l.fact
LEFT JOIN fact_uses AS u ON u.space = :space AND u.fact = f.id AND u.scope = :scope;

-- name: signals_of
-- The usage of facts, then the feedback on them, in the scopes that count for this viewer.
WITH listed AS MATERIALIZED (
  SELECT each AS fact FROM jsonb_array_elements_text(CAST(:facts AS jsonb)) AS each)
SELECT u.fact, u.day, u.queries, u.earlier, 0, 0 FROM listed AS l
JOIN fact_uses AS u ON u.space = :space AND u.fact = l.fact
JOIN scopes AS s ON s.space = :space AND s.id = u.scope
WHERE {{visible}} AND u.day >= :oldest
UNION ALL
SELECT b.fact, 0, 0, 0, b.useful, b.irrelevant FROM listed AS l
JOIN feedback AS b ON b.space = :space AND b.fact = l.fact
JOIN scopes AS s ON s.space = :space AND s.id = b.scope
WHERE {{visible}};

-- name: open_conflicts_among
-- Pairs of these facts with an open conflict.
WITH listed AS MATERIALIZED (
  SELECT each AS fact FROM jsonb_array_elements_text(CAST(:facts AS jsonb)) AS each)
SELECT r.older, r.newer FROM listed AS l
JOIN conflicts AS r ON r.space = :space AND r.newer = l.fact
JOIN scopes AS s ON s.space = :space AND s.id = r.scope
WHERE {{visible}} AND r.settled_at IS NULL AND r.deleted_at IS NULL
  AND r.older IN (SELECT fact FROM listed)
ORDER BY r.id;
