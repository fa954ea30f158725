-- Lists are JSON parameters. CROSS JOIN makes SQLite read the list before the tables: it cannot know
-- that the list is short.

-- name: fact_candidates
-- The passages with these numbers whose facts pass the filters.
SELECT {{passage_columns}}, 1
FROM json_each(:seqs) AS j
CROSS JOIN passages AS p ON p.seq = j.value AND p.space = :space AND p.kind = 'facts'
CROSS JOIN {{facts}} AS f ON f.space = :space AND f.id = p.record
CROSS JOIN scopes AS s ON s.space = :space AND s.id = f.scope
WHERE {{visible}} AND {{matching}};

-- name: message_candidates
-- The passages with these numbers whose messages pass the filters.
SELECT {{passage_columns}}, CASE WHEN m.role = 'user' THEN 1 ELSE 0 END
FROM json_each(:seqs) AS j
CROSS JOIN passages AS p ON p.seq = j.value AND p.space = :space AND p.kind = 'messages'
CROSS JOIN messages AS m ON m.space = :space AND m.id = p.record
CROSS JOIN conversations AS c ON c.space = :space AND c.id = m.conversation
CROSS JOIN scopes AS s ON s.space = :space AND s.id = m.scope
WHERE {{visible}} AND {{message_narrowed}};

-- name: note_candidates
-- The passages with these numbers whose observations, lessons and summaries pass the filters.
SELECT {{passage_columns}}, 1
FROM json_each(:seqs) AS j
CROSS JOIN passages AS p ON p.seq = j.value AND p.space = :space
  AND p.kind NOT IN ('facts', 'messages')
CROSS JOIN partitions AS h ON h.space = :space AND h.id = p.partition
CROSS JOIN scopes AS s ON s.space = :space AND s.id = h.scope
{{note_sources}}
WHERE {{visible}} AND {{note_narrowed}};

-- name: facts_in_full
-- The full facts, and whether they have usage signals.
SELECT {{used}}, {{columns}}
FROM json_each(:ids) AS j
CROSS JOIN {{facts}} AS f ON f.space = :space AND f.id = j.value
CROSS JOIN scopes AS s ON s.space = :space AND s.id = f.scope;

-- name: neighbours
-- The records next to short records in their conversations, with the terms of their beginning.
SELECT c.seq, n.seq, n.position - c.position, n.passages, n.terms
FROM json_each(:seqs) AS j
CROSS JOIN passages AS c ON c.seq = j.value AND c.space = :space
CROSS JOIN passages AS n ON n.space = :space AND n.partition = c.partition
  AND n.conversation = c.conversation
  AND n.position BETWEEN c.position - :reach AND c.position + :reach AND n.seq <> c.seq
WHERE n.number = 0 AND n.open = 1;

-- name: named_entities
-- The visible entities with one of these folded names, and all their names. An entity is visible
-- if a fact about it is visible.
SELECT DISTINCT g.folded, n.name
FROM json_each(:names) AS j
CROSS JOIN scopes AS s ON s.space = :space
CROSS JOIN entity_names AS g ON g.space = :space AND g.scope = s.id AND g.folded = j.value
CROSS JOIN entity_names AS n ON n.space = :space AND n.entity = g.entity
WHERE {{visible}} AND EXISTS (
  SELECT 1 FROM fact_entities AS m JOIN facts AS f ON f.space = :space AND f.id = m.fact
  WHERE m.space = :space AND m.entity = g.entity AND m.since <= :known_at
    AND f.trust = 'trusted' AND f.deleted_at IS NULL);

-- name: mentioning
-- Facts that share an entity with the given facts, newest first.
SELECT {{columns}} FROM {{facts}} AS f
CROSS JOIN scopes AS s ON s.space = :space AND s.id = f.scope
WHERE f.space = :space AND f.id IN (
  SELECT o.fact FROM json_each(:facts) AS j
  CROSS JOIN fact_entities AS i ON i.space = :space AND i.fact = j.value
  CROSS JOIN fact_entities AS o ON o.space = :space AND o.entity = i.entity
  WHERE o.since <= :known_at)
  AND {{visible}} AND {{matching}}
ORDER BY f.id DESC LIMIT :limit;

-- name: uses_before
-- The use of facts by a viewer, without erased facts.
SELECT f.id, f.kind, u.day, u.queries, u.earlier FROM json_each(:facts) AS j
CROSS JOIN facts AS f ON f.space = :space AND f.id = j.value
LEFT JOIN fact_uses AS u ON u.space = :space AND u.fact = f.id AND u.scope = :scope;

-- name: signals_of
-- The usage of facts, then the feedback on them, in the scopes that count for this viewer.
SELECT u.fact, u.day, u.queries, u.earlier, 0, 0 FROM json_each(:facts) AS j
CROSS JOIN fact_uses AS u ON u.space = :space AND u.fact = j.value
CROSS JOIN scopes AS s ON s.space = :space AND s.id = u.scope
WHERE {{visible}} AND u.day >= :oldest
UNION ALL
SELECT b.fact, 0, 0, 0, b.useful, b.irrelevant FROM json_each(:facts) AS j
CROSS JOIN feedback AS b ON b.space = :space AND b.fact = j.value
CROSS JOIN scopes AS s ON s.space = :space AND s.id = b.scope
WHERE {{visible}};

-- name: open_conflicts_among
-- Pairs of these facts with an open conflict.
SELECT r.older, r.newer FROM json_each(:facts) AS j
CROSS JOIN conflicts AS r ON r.space = :space AND r.newer = j.value
CROSS JOIN scopes AS s ON s.space = :space AND s.id = r.scope
WHERE {{visible}} AND r.settled_at IS NULL AND r.deleted_at IS NULL
  AND r.older IN (SELECT value FROM json_each(:facts))
ORDER BY r.id;
