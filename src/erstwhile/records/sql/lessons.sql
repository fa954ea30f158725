-- fragment: lesson_fields
r.domain, r.rule, r.occurrences, r.learned_at

-- fragment: lesson_narrowed
(CAST(:domain AS TEXT) IS NULL OR r.domain = :domain)

-- fragment: general
CASE WHEN s.scope_project = '' THEN 1 ELSE 0 END

-- name: add_lesson
INSERT INTO lessons (
  space, id, scope, created_at, changed_at, deleted_at, domain, rule, fingerprint, occurrences,
  learned_at, usefulness)
VALUES (
  :space, :id, :scope, :created_at, :changed_at, :deleted_at, :domain, :rule, :fingerprint,
  :occurrences, :learned_at, :usefulness);

-- name: change_lesson
UPDATE lessons SET changed_at = :changed_at, deleted_at = :deleted_at,
  occurrences = :occurrences, learned_at = :learned_at, usefulness = :usefulness
WHERE space = :space AND id = :id AND changed_at = :was_changed_at;

-- name: find_lesson
-- The lesson of exactly this scope with the same rule, deleted or not.
SELECT {{record_head}}, {{lesson_fields}} FROM lessons AS r
JOIN scopes AS s ON s.space = :space AND s.id = r.scope
WHERE r.space = :space AND r.scope = :scope AND r.domain = :domain
  AND r.fingerprint = :fingerprint;

-- name: lessons_of_domain
-- The lessons of exactly this scope in one domain.
SELECT {{record_head}}, {{lesson_fields}} FROM lessons AS r
JOIN scopes AS s ON s.space = :space AND s.id = r.scope
WHERE r.space = :space AND r.scope = :scope AND r.domain = :domain AND r.deleted_at IS NULL;

-- name: list_lessons
-- Lessons of a project, then general ones; the most useful first.
SELECT {{record_head}}, {{lesson_fields}} FROM scopes AS s
JOIN lessons AS r ON r.space = :space AND r.id IN (
  SELECT r.id FROM lessons AS r
  WHERE r.space = :space AND r.scope = s.id AND {{kept}} AND {{lesson_narrowed}}
    AND ({{general}} > :general OR ({{general}} = :general AND (r.usefulness < :usefulness
      OR (r.usefulness = :usefulness AND r.id < :before))))
  ORDER BY r.usefulness DESC, r.id DESC LIMIT :limit)
WHERE {{visible}}
ORDER BY {{general}}, r.usefulness DESC, r.id DESC LIMIT :limit;

-- name: stored_lessons
SELECT {{record_state}}, {{lesson_fields}} FROM lessons AS r
WHERE r.space = :space AND r.scope = :scope ORDER BY r.id;
