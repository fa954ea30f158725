-- fragment: unclaimed
FOR UPDATE OF o SKIP LOCKED
