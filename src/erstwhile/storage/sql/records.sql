-- The statements that all record tables share. The caller chooses the table. The fields of each table are in the order of the audit digest.

-- fragment: record.outcomes
outcomes AS r

-- fragment: record.lessons
lessons AS r

-- fragment: record.observations
observations AS r

-- fragment: record.limitations
limitations AS r

-- fragment: record.usage
usage AS r

-- fragment: record_fields.outcomes
{{outcome_fields}}

-- fragment: record_fields.lessons
{{lesson_fields}}

-- fragment: record_fields.observations
{{observation_fields}}

-- fragment: record_fields.limitations
{{limitation_fields}}

-- fragment: record_fields.usage
{{usage_fields}}

-- fragment: record_narrowed.outcomes
{{outcome_narrowed}}

-- fragment: record_narrowed.lessons
{{lesson_narrowed}}

-- fragment: record_narrowed.observations
{{observation_narrowed}}

-- fragment: record_narrowed.limitations
{{limitation_narrowed}}

-- fragment: record_narrowed.usage
{{usage_narrowed}}

-- fragment: record_head
r.id, s.scope_user, s.scope_agent, s.scope_project, s.scope_session, r.created_at, r.changed_at,
r.deleted_at

-- fragment: record_state
r.id, r.changed_at, NULL, r.created_at, r.deleted_at

-- fragment: kept.present
r.deleted_at IS NULL

-- fragment: kept.deleted
r.deleted_at IS NOT NULL

-- name: find_records
-- The visible records whose ids lie between two ids. A few rows show whether an id is ambiguous.
SELECT {{record_head}}, {{record_fields}} FROM {{record}}
JOIN scopes AS s ON s.space = :space AND s.id = r.scope
WHERE r.space = :space AND r.id >= :lowest AND r.id <= :highest AND {{visible}} AND {{kept}}
ORDER BY r.id LIMIT 5;

-- name: list_records
-- Newest first. The inner select takes a page from each visible scope by an index.
SELECT {{record_head}}, {{record_fields}} FROM scopes AS s
JOIN {{record}} ON r.space = :space AND r.id IN (
  SELECT r.id FROM {{record}}
  WHERE r.space = :space AND r.scope = s.id AND r.id < :before AND {{kept}}
    AND {{record_narrowed}}
  ORDER BY r.id DESC LIMIT :limit)
WHERE {{visible}}
ORDER BY r.id DESC LIMIT :limit;

-- name: deleted_records
-- Oldest deletion first.
SELECT {{record_head}}, {{record_fields}} FROM scopes AS s
JOIN {{record}} ON r.space = :space AND r.scope = s.id
WHERE {{visible}} AND r.deleted_at <= :before
ORDER BY r.deleted_at, r.id LIMIT :limit;

-- name: records_within
SELECT {{record_head}}, {{record_fields}} FROM scopes AS s
JOIN {{record}} ON r.space = :space AND r.scope = s.id
WHERE {{within}} ORDER BY r.id LIMIT :limit;
