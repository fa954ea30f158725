-- fragment: taking.take
-- Several workers claim at once: each passes over the rows that another is about to take.
FOR UPDATE OF r SKIP LOCKED
