-- Times that a wrong clock stamped are moved back by :shift. A row that was written at :first or later is
-- moved: every time in it that is not before :first, except what it had before. `storage/audit.py` fills
-- these texts for each line of `columns.txt`.

-- name: move
UPDATE {{table}} SET {{changes}}
WHERE space = :space AND {{written}} >= :first AND {{written}} < :endless;

-- name: stamp
-- A time at which something was stored.
{{column}} = CASE WHEN {{column}} >= :first AND {{column}} < :endless THEN {{column}} - :shift ELSE {{column}} END;

-- name: truth
-- A time that a fact tells. It stays if the fact told the same before.
{{column}} = CASE WHEN {{column}} >= :first AND {{column}} < :endless AND NOT EXISTS (
    SELECT 1 FROM fact_versions AS b WHERE b.space = :space AND b.id = {{table}}.id
      AND b.known_from < :first AND b.{{column}} = {{table}}.{{column}})
  THEN {{column}} - :shift ELSE {{column}} END;
