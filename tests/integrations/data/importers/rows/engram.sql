INSERT INTO memories (id, content, memory_type, importance, access_count, created_at, updated_at, owner_id, visibility, version, valid_from, valid_to, expires_at, metadata, scope_type, scope_id, scope_path, workspace, lifecycle_state) VALUES
  (1, 'The hives face south', 'note', 0.9, 4, '2026-01-05T10:00:00Z', '2026-01-05T10:00:00Z', NULL, 'private', 1, '2026-01-05T10:00:00Z', NULL, NULL, '{"source":"walk"}', 'global', NULL, 'global', 'default', 'active'),
  (2, 'Ana prefers linen smoke', 'preference', 0.5, 0, '2026-01-06T10:00:00Z', '2026-03-06T10:00:00Z', 'ana', 'private', 3, '2026-01-06T10:00:00Z', NULL, NULL, '{}', 'global', NULL, 'global', 'default', 'active'),
  (3, 'The shop opens at nine', 'note', 0.5, 0, '2026-01-01T10:00:00Z', '2026-01-01T10:00:00Z', NULL, 'public', 1, '2026-01-01T10:00:00Z', '2026-02-01T00:00:00Z', NULL, '{}', 'global', NULL, 'global', 'default', 'active'),
  (4, 'hunter2', 'credential', 0.5, 0, '2026-01-05T10:00:00Z', '2026-01-05T10:00:00Z', 'ana', 'private', 1, '2026-01-05T10:00:00Z', NULL, NULL, '{}', 'global', NULL, 'global', 'default', 'active'),
  (5, 'Bob owes the bank money', 'note', 0.5, 0, '2026-01-05T10:00:00Z', '2026-01-05T10:00:00Z', 'bob', 'private', 1, '2026-01-05T10:00:00Z', NULL, NULL, '{}', 'global', NULL, 'global', 'default', 'active'),
  (6, 'Bob is seeing a doctor', 'note', 0.5, 0, '2026-01-05T10:00:00Z', '2026-01-05T10:00:00Z', NULL, 'shared', 1, '2026-01-05T10:00:00Z', NULL, NULL, '{}', 'user', 'bob', 'global', 'default', 'active'),
  (7, 'Ana plans to sell hive four', 'note', 0.5, 0, '2026-01-05T10:00:00Z', '2026-01-05T10:00:00Z', NULL, 'private', 1, '2026-01-05T10:00:00Z', NULL, NULL, '{}', 'global', NULL, 'global/org:acme/user:ana', 'default', 'active'),
  (8, 'Bob keeps stock in Braga', 'note', 0.5, 0, '2026-01-05T10:00:00Z', '2026-01-05T10:00:00Z', 'bob', 'private', 1, '2026-01-05T10:00:00Z', NULL, NULL, '{}', 'global', NULL, 'global', 'stock', 'active'),
  (9, 'Ana used to sail', 'note', 0.5, 0, '2026-01-05T10:00:00Z', '2026-04-05T10:00:00Z', 'ana', 'private', 1, '2026-01-05T10:00:00Z', NULL, NULL, '{}', 'global', NULL, 'global', 'default', 'archived'),
  (10, 'Ana has a guest pass', 'note', 0.5, 0, '2026-01-05T10:00:00Z', '2026-01-05T10:00:00Z', 'ana', 'private', 1, '2026-01-05T10:00:00Z', NULL, '2099-01-01T00:00:00Z', '{}', 'global', NULL, 'global', 'default', 'active');
INSERT INTO tags (id, name) VALUES (1, 'bees'), (2, 'money');
INSERT INTO memory_tags VALUES (2, 1), (5, 2);
INSERT INTO entities (id, name, normalized_name, entity_type) VALUES (1, 'Ana', 'ana', 'person');
INSERT INTO memory_entities (memory_id, entity_id) VALUES (2, 1);
INSERT INTO facts (subject, predicate, object, source_memory_id) VALUES
  ('Ana', 'prefers', 'linen smoke', 2), ('Bob', 'owes', 'the bank', 5), ('Eve', 'left', 'nothing', 99);
INSERT INTO memory_versions (memory_id, version, content, tags, created_at) VALUES
  (2, 1, 'Ana prefers pine smoke', '["old"]', '2026-01-06T10:00:00Z'),
  (2, 2, 'Ana prefers pine smoke', '["older"]', '2026-02-01T10:00:00Z'),
  (2, 3, 'Ana prefers linen smoke', '["bees"]', '2026-03-06T10:00:00Z');
INSERT INTO memory_blocks (name, content, version, max_tokens) VALUES ('persona', 'A patient beekeeper.', 3, 777), ('blank', '', 1, 4096);
INSERT INTO block_edit_log (block_name, old_content, new_content, edit_reason, timestamp) VALUES
  ('persona', 'A keeper.', 'A beekeeper.', 'say of what', '2026-01-01T10:00:00Z'),
  ('persona', 'A beekeeper.', 'A patient beekeeper.', 'kinder', '2026-01-02T10:00:00Z');
INSERT INTO crossrefs (from_id, to_id, score) VALUES (1, 3, 0.5), (1, 2, 0.5);
