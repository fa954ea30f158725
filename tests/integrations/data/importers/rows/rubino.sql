INSERT INTO sessions (id, source, title, summary, status, model, created_at, updated_at, ended_at) VALUES
  ('s1', 'cli', 'Deploying', NULL, 'active', 'gpt-x', '2026-01-05T10:00:00Z', '2026-01-05T10:00:02Z', NULL),
  ('s2', 'web', 'Old talk', 'They chose Kamal', 'ended', NULL, '2025-01-05T10:00:00Z', '2025-01-05T10:00:02Z', '2025-01-05T11:00:00Z');
INSERT INTO messages (id, session_id, role, content, tool_name, tool_call_id, created_at) VALUES
  ('a', 's1', 'user', 'Deploy it', NULL, NULL, '2026-01-05T10:00:00Z'),
  ('z', 's1', 'assistant', NULL, NULL, NULL, '2026-01-05T10:00:00Z'),
  ('b', 's1', 'tool', 'ok', 'shell', 'call-1', '2026-01-05T10:00:01Z'),
  ('c', 's1', 'assistant', 'Done', NULL, NULL, '2026-01-05T10:00:02Z'),
  ('d', 's2', 'user', 'Kamal or Capistrano?', NULL, NULL, '2025-01-05T10:00:00Z');
INSERT INTO memory_facts (id, text, kind, entities_json, confidence, valid_from, valid_to, superseded_by, created_at, updated_at) VALUES
  ('r1', 'Ana deploys with Kamal', 'env', '["Ana","Kamal"]', 0.6, '2026-01-05T10:00:00Z', NULL, NULL, '2026-01-05T10:00:00Z', '2026-01-05T10:00:00Z'),
  ('r2', 'Ana deploys with Capistrano', 'env', '["Ana"]', 1.0, '2025-01-05T10:00:00Z', '2026-01-05T10:00:00Z', 'r1', '2025-01-05T10:00:00Z', '2026-01-05T10:00:00Z'),
  ('r3', 'Ana likes short answers', 'preference', NULL, 1.0, NULL, NULL, NULL, '2026-01-05T10:00:00Z', '2026-01-05T10:00:00Z');
INSERT INTO memory_entities (id, name, name_norm, created_at, updated_at) VALUES
  ('e1', 'Ana', 'ana', '2026', '2026'), ('e2', 'Kamal', 'kamal', '2026', '2026'), ('e3', 'Porto', 'porto', '2026', '2026');
INSERT INTO memory_edges (id, src_entity_id, dst_entity_id, relation, source_fact_id, valid_from, valid_to, created_at, updated_at) VALUES
  ('g1', 'e1', 'e2', 'deploys_with', 'r1', '2026-01-05T10:00:00Z', NULL, '2026', '2026'),
  ('g2', 'e1', 'e2', 'co_occurs', 'r1', '2026-01-05T10:00:00Z', NULL, '2026', '2026'),
  ('g3', 'e1', 'e3', 'lived_in', NULL, '2025-01-05T10:00:00Z', '2026-01-01T00:00:00Z', '2025', '2025');
INSERT INTO tool_calls (id, session_id, tool_name, status) VALUES ('tc', 's1', 'shell', 'done');
