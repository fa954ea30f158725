-- Who asked to learn from a conversation: a process that has a language model, or one without.

ALTER TABLE learning ADD COLUMN with_model BIGINT NOT NULL DEFAULT 0;

-- What ended is not said anew by a conversation from before that.
CREATE INDEX facts_ended ON facts (space, scope, fingerprint) WHERE retired_at IS NOT NULL;
