INSERT INTO memories (id, agent_id, content, tags, created_at, concept_tags, memory_type) VALUES
  ('n1', 'kate', 'Ana wants short mails', '["mail"]', 1767607200000, '["short-mails"]', 'feedback'),
  ('n2', 'sam', 'Bob owes the bank money', '[]', 1767607200000, '[]', 'user');
INSERT INTO interactions (id, session_id, agent_id, role, content, created_at) VALUES
  ('i1', 's1', 'kate', 'user', 'Write to the beekeepers', 1767607200000), ('i2', 's1', 'kate', 'assistant', 'Sent', 1767607201000),
  ('i3', 's2', 'sam', 'user', 'What do I owe?', 1767607200000);
INSERT INTO reminders (id, agent_id, session_id, plugin, recipient, message, due_at, delivered_at, created_at) VALUES
  ('d1', 'kate', 's1', 'telegram', '42', 'Answer the beekeepers', 1900000000000, NULL, 1767607200000),
  ('d2', 'sam', 's2', 'telegram', '43', 'Call the bank', 1767607300000, 1767607300001, 1767607200000);
INSERT INTO recall_events (agent_id, memory_id, query, score, ts_ms) VALUES ('kate', 'n1', 'mail', 1.0, 1767607200000), ('kate', 'n1', 'mails', 0.5, 1767607200001);
INSERT INTO memory_promotions VALUES ('n1', 'kate', 1767607200000, 0.5, 'light');
INSERT INTO driver_decisions (id, goal_id, turn_index, tool, input_summary, choice_kind, choice_message, rationale, decided_at, full_input_json) VALUES
  ('9d1e0001', 'goal-1', 2, 'Bash', 'Tool: Bash', 'deny', 'not there', 'it is production', 1767607200, '{"command":"rm -rf /srv"}'),
  ('9d1e0002', 'goal-1', 3, 'Edit', 'Tool: Edit', 'perhaps', NULL, 'unknown kind', 1767607200, '{"file":"x"}');
