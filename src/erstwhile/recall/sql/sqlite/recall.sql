-- Lists of numbers are JSON parameters. CROSS JOIN makes SQLite read the list before the facts: it
-- cannot know that the list is short.

-- name: candidates
-- The facts with these numbers that pass the filters, with the columns for scoring.
SELECT t.seq, t.terms, t.conversation IS NOT NULL
FROM json_each(:seqs) AS j
CROSS JOIN fact_texts AS t ON t.seq = j.value AND t.space = :space
CROSS JOIN {{facts}} AS f ON f.space = t.space AND f.id = t.fact
CROSS JOIN scopes AS s ON s.id = f.scope
WHERE {{visible}} AND {{matching}};

-- name: candidates_in_full
-- The full facts, and whether they have usage signals.
SELECT t.seq, {{used}}, {{columns}}
FROM json_each(:seqs) AS j
CROSS JOIN fact_texts AS t ON t.seq = j.value AND t.space = :space
CROSS JOIN {{facts}} AS f ON f.space = t.space AND f.id = t.fact
CROSS JOIN scopes AS s ON s.space = f.space AND s.id = f.scope;

-- name: neighbours
-- The neighbours of facts in their conversations, without deleted and untrusted ones.
SELECT c.seq, n.seq, n.position - c.position, n.terms
FROM json_each(:seqs) AS j
CROSS JOIN fact_texts AS c ON c.seq = j.value AND c.space = :space
CROSS JOIN fact_texts AS n ON n.space = c.space AND n.scope = c.scope
  AND n.conversation = c.conversation
  AND n.position BETWEEN c.position - :reach AND c.position + :reach AND n.seq <> c.seq
CROSS JOIN facts AS f ON f.space = n.space AND f.id = n.fact
WHERE f.deleted_at IS NULL AND f.trust = 'trusted';

-- name: named_entities
-- The visible entities with one of these folded names, and all their names. An entity is visible
-- if a fact about it is visible.
SELECT DISTINCT g.folded, n.name
FROM json_each(:names) AS j
CROSS JOIN scopes AS s
CROSS JOIN entity_names AS g ON g.space = s.space AND g.scope = s.id AND g.folded = j.value
CROSS JOIN entity_names AS n ON n.space = g.space AND n.entity = g.entity
WHERE {{visible}} AND EXISTS (
  SELECT 1 FROM fact_entities AS m JOIN facts AS f ON f.space = m.space AND f.id = m.fact
  WHERE m.space = g.space AND m.entity = g.entity AND m.since <= :known_at
    AND f.trust = 'trusted' AND f.deleted_at IS NULL);

-- name: mentioning
-- Facts that share an entity with the given facts, newest first.
SELECT {{columns}} FROM {{facts}} AS f
CROSS JOIN scopes AS s ON s.space = f.space AND s.id = f.scope
WHERE f.space = :space AND f.id IN (
  SELECT o.fact FROM json_each(:facts) AS j
  CROSS JOIN fact_entities AS i ON i.space = :space AND i.fact = j.value
  CROSS JOIN fact_entities AS o ON o.space = i.space AND o.entity = i.entity
  WHERE o.since <= :known_at)
  AND {{visible}} AND {{matching}}
ORDER BY f.id DESC LIMIT :limit;

-- name: uses_before
-- The use of facts by a viewer, without erased facts.
SELECT f.id, f.kind, u.day, u.queries, u.earlier FROM json_each(:facts) AS j
CROSS JOIN facts AS f ON f.space = :space AND f.id = j.value
LEFT JOIN fact_uses AS u ON u.space = f.space AND u.fact = f.id AND u.scope = :scope;

-- name: signals_of
-- The usage of facts, then the feedback on them, in the scopes that count for this viewer.
SELECT u.fact, u.day, u.queries, u.earlier, 0, 0 FROM json_each(:facts) AS j
CROSS JOIN fact_uses AS u ON u.space = :space AND u.fact = j.value
CROSS JOIN scopes AS s ON s.space = u.space AND s.id = u.scope
WHERE {{visible}} AND u.day >= :oldest
UNION ALL
SELECT b.fact, 0, 0, 0, b.useful, b.irrelevant FROM json_each(:facts) AS j
CROSS JOIN feedback AS b ON b.space = :space AND b.fact = j.value
CROSS JOIN scopes AS s ON s.space = b.space AND s.id = b.scope
WHERE {{visible}};

-- name: open_conflicts_among
-- Pairs of these facts with an open conflict.
SELECT r.older, r.newer FROM json_each(:facts) AS j
CROSS JOIN conflicts AS r ON r.space = :space AND r.newer = j.value
CROSS JOIN scopes AS s ON s.space = r.space AND s.id = r.scope
WHERE {{visible}} AND r.settled_at IS NULL AND r.deleted_at IS NULL
  AND r.older IN (SELECT value FROM json_each(:facts))
ORDER BY r.id;
