-- fragment: taking.take
-- Workers claim concurrently: each skips rows that another is about to claim.
FOR UPDATE OF r SKIP LOCKED
