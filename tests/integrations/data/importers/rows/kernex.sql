INSERT INTO _migrations (name) VALUES ('001_init');
INSERT INTO conversations (id, channel, sender_id, project, status, summary, started_at, updated_at, last_activity) VALUES
  ('c1', 'telegram', 'ana', '', 'active', NULL, '2026-02-01 08:00:00', '2026-02-01 08:00:02', '2026-02-01 08:00:02'),
  ('c2', 'telegram', 'bob', 'shop', 'closed', 'Bob talked about his debts', '2026-02-02 08:00:00', '2026-02-02 09:00:00', '2026-02-02 09:00:00'),
  ('c3', 'cli', 'ana', '', 'closed', 'Ana planned the spring', '2025-02-02 08:00:00', '2025-02-02 09:00:00', '2025-02-02 09:00:00'),
  ('c4', 'cli', 'ana', '', 'active', NULL, '2025-02-02 08:00:00', '2025-02-02 09:00:00', '2025-02-02 09:00:00');
INSERT INTO messages (id, conversation_id, role, content, timestamp) VALUES
  ('m1', 'c1', 'user', 'Remind me to feed the bees', '2026-02-01 08:00:00'),
  ('m2', 'c1', 'assistant', 'I will', '2026-02-01 08:00:02'),
  ('m3', 'c2', 'user', 'I owe the bank a lot', '2026-02-02 08:00:00'),
  ('m4', 'c2', 'assistant', 'I see', '2026-02-02 08:00:01');
INSERT INTO facts (id, sender_id, key, value, source_message_id, created_at, updated_at, deleted_at) VALUES
  ('f1', 'ana', 'home_town', 'Porto', 'm1', '2026-01-05 10:00:00', '2026-01-06 10:00:00', NULL),
  ('f2', 'ana', 'old', 'gone', NULL, '2026-01-05 10:00:00', '2026-01-06 10:00:00', '2026-01-07 10:00:00'),
  ('f3', 'bob', 'diet', 'vegan', NULL, '2026-01-05 10:00:00', '2026-01-05 10:00:00', NULL),
  ('f4', 'bob-on-signal', 'pet', 'a parrot', NULL, '2026-01-05 10:00:00', '2026-01-05 10:00:00', NULL);
INSERT INTO user_aliases VALUES ('bob-on-signal', 'bob');
INSERT INTO audit_log (id, channel, sender_id, input_text) VALUES ('a1', 'cli', 'ana', 'hi'), ('a2', 'cli', 'bob', 'ho');
INSERT INTO lessons (id, sender_id, domain, rule, project, occurrences, updated_at) VALUES
  ('l1', 'ana', 'bees', 'smoke them first', '', 3, '2026-01-09 10:00:00'),
  ('l2', 'bob', 'shop', 'count the till twice', 'shop', 1, '2026-01-09 10:00:00');
INSERT INTO outcomes (id, timestamp, sender_id, domain, score, lesson, project) VALUES
  ('o1', '2026-01-05 10:00:00', 'ana', 'bees', 1, 'calm hives', ''),
  ('o2', '2026-01-06 10:00:00', 'ana', 'bees', 1, 'calm hives', ''),
  ('o3', '2026-01-06 10:00:00', 'bob', 'shop', -1, 'till was short', 'shop');
INSERT INTO observations (id, sender_id, type, title, what, why, where_field, learned, created_at, updated_at, deleted_at) VALUES
  ('b1', 'ana', 'bugfix', 'Scale was off', 'tared it', 'wind', 'hive 2', 'tare twice', '2026-01-05 10:00:00', '2026-01-05 10:00:00', NULL),
  ('b2', 'bob', 'decision', 'Close on Mondays', NULL, NULL, NULL, NULL, '2026-01-05 10:00:00', '2026-01-05 10:00:00', NULL),
  ('b3', 'ana', 'pattern', 'Deleted one', NULL, NULL, NULL, NULL, '2026-01-05 10:00:00', '2026-01-05 10:00:00', '2026-01-06 10:00:00');
INSERT INTO limitations (id, title, description, status, resolved_at) VALUES
  ('x1', 'Cannot read scans', 'no OCR', 'open', NULL), ('x2', 'Cannot call', 'no phone', 'resolved', '2026-02-01 00:00:00');
INSERT INTO scheduled_tasks (id, channel, sender_id, reply_target, description, due_at, repeat, status, project) VALUES
  ('t1', 'telegram', 'ana', 'chat-7', 'Feed the bees', '2030-03-01 07:00:00', 'weekly', 'pending', ''),
  ('t2', 'telegram', 'bob', 'chat-8', 'Pay the bank', '2030-03-01 07:00:00', 'once', 'pending', 'shop'),
  ('t3', 'telegram', 'ana', 'chat-7', 'Buy wax', '2026-01-01 07:00:00', NULL, 'delivered', '');
INSERT INTO task_runs (id, task_id, started_at, status) VALUES ('r1', 't3', '2026-01-01 07:00:00', 'completed');
INSERT INTO token_usage (sender_id, session_id, model, tokens, cost_usd, timestamp, input_tokens, output_tokens, cache_read_tokens, cache_creation_tokens) VALUES
  ('ana', 's1', 'claude-x', 120, 0.25, 1767600000, 100, 20, 5, 6),
  ('bob', 's2', 'claude-x', 70, 0.0, 1767600001, NULL, NULL, NULL, NULL);
INSERT INTO project_sessions (id, channel, sender_id, project, session_id) VALUES
  ('p1', 'telegram', 'ana', '', 'sess-ana'), ('p2', 'telegram', 'bob', 'shop', 'sess-bob');
INSERT INTO phase_checkpoints (id, run_id, topology_name, phase_name, sender_id, status, output, error_message) VALUES
  ('k1', 'run-1', 'top', 'plan', 'ana', 'completed', 'the plan', NULL),
  ('k2', 'run-1', 'top', 'build', 'ana', 'failed', NULL, 'no wood'),
  ('k3', 'run-2', 'top', 'plan', 'bob', 'pending', NULL, NULL);
