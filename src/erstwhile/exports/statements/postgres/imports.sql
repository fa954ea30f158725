-- name: continue_numbers
-- Set the counters of the server after the numbers of this space.
SELECT continue_numbers(:space);
