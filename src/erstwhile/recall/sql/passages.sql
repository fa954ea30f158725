-- What the statements about candidates of both engines share.

-- fragment: passage_columns
-- The columns for scoring. After them comes whether they are a person's own words.
p.seq, p.kind, p.record, p.passages, p.asks, p.start, p.length, p.terms,
p.conversation IS NOT NULL

-- fragment: message_narrowed
-- A copy in a branch counts only if the branch itself is searched, or its original cannot be found.
c.deleted_at IS NULL AND m.undone_at IS NULL
  AND m.said_at >= :since AND m.said_at < :until AND m.said_at <= :said_to
  AND m.changed_at <= :known_at
  AND (:roles = '' OR :roles LIKE '%,' || m.role || ',%')
  AND (CAST(:channel AS TEXT) IS NULL OR c.channel = :channel)
  AND (CAST(:conversation AS TEXT) IS NULL OR m.conversation = :conversation)
  AND (CAST(:exclude AS TEXT) IS NULL OR m.conversation <> :exclude)
  AND (CAST(:contains AS TEXT) IS NULL OR folded(m.content) LIKE :contains ESCAPE '\')
  AND (m.origin = m.id OR m.conversation = :conversation OR NOT EXISTS (
    SELECT 1 FROM messages AS o
    JOIN conversations AS oc ON oc.space = :space AND oc.id = o.conversation
    WHERE o.space = :space AND o.id = m.origin AND o.undone_at IS NULL AND oc.deleted_at IS NULL))

-- fragment: note_narrowed
:among LIKE '%,' || p.kind || ',%'
  AND COALESCE(b.deleted_at, l.deleted_at, c.deleted_at) IS NULL
  AND COALESCE(b.created_at, l.created_at, c.changed_at) >= :since
  AND COALESCE(b.created_at, l.created_at, c.changed_at) < :until
  AND COALESCE(b.created_at, l.created_at, c.changed_at) <= :said_to
  AND COALESCE(b.created_at, l.created_at, c.changed_at) <= :known_at
  AND (CAST(:type AS TEXT) IS NULL OR b.type = :type)
  AND (CAST(:contains AS TEXT) IS NULL OR folded({{note_text}}) LIKE :contains ESCAPE '\')

-- fragment: note_text
-- The whole text of an observation, a lesson or a summary.
COALESCE(
  b.title || ' ' || COALESCE(b.what, '') || ' ' || COALESCE(b.why, '') || ' '
    || COALESCE(b.place, '') || ' ' || COALESCE(b.learned, ''),
  l.domain || ': ' || l.rule, c.summary)

-- fragment: note_sources
LEFT JOIN observations AS b ON b.space = :space AND b.id = p.record AND p.kind = 'observations'
LEFT JOIN lessons AS l ON l.space = :space AND l.id = p.record AND p.kind = 'lessons'
LEFT JOIN conversations AS c ON c.space = :space AND c.id = p.record AND p.kind = 'summaries'
