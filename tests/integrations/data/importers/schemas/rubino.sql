-- Rubino: tables as its migrations 001 and 008 to 011 define them, as Sequel writes them

CREATE TABLE schema_info (version integer DEFAULT 0 NOT NULL);

CREATE TABLE sessions(id varchar(255) primary key, parent_session_id varchar(255), source varchar(255) not null, model varchar(255), provider varchar(255), title varchar(255), summary text, status varchar(255) default 'active' not null, message_count integer default 0 not null, token_count integer default 0 not null, created_at varchar(255) not null, updated_at varchar(255) not null, ended_at varchar(255), owner_pid integer, memory_extracted_msg_id varchar(255));

CREATE TABLE messages(id varchar(255) primary key, session_id varchar(255) not null references sessions(id), role varchar(255) not null, content text, tool_name varchar(255), tool_call_id varchar(255), token_count integer default 0, metadata_json text, created_at varchar(255) not null);

CREATE TABLE tool_calls(id varchar(255) primary key, session_id varchar(255) not null, message_id varchar(255), tool_name varchar(255) not null, input_json text, output text, status varchar(255) not null, risk_level varchar(255), started_at varchar(255), finished_at varchar(255), error text);

CREATE TABLE memories(id varchar(255) primary key, kind varchar(255) not null, content text not null, source_session_id varchar(255), confidence double precision default 1.0, metadata_json text, created_at varchar(255) not null, updated_at varchar(255) not null);

CREATE TABLE session_summaries(id varchar(255) primary key, session_id varchar(255) not null, parent_summary_id varchar(255), content text not null, token_count integer default 0, created_at varchar(255) not null);

CREATE TABLE compactions(id varchar(255) primary key, source_session_id varchar(255) not null, target_session_id varchar(255) not null, previous_summary_id varchar(255), new_summary_id varchar(255), original_token_count integer, compacted_token_count integer, saved_token_count integer, created_at varchar(255) not null);

CREATE TABLE jobs(id varchar(255) primary key, type varchar(255) not null, status varchar(255) default 'queued' not null, priority integer default 100 not null, payload_json text not null, attempts integer default 0 not null, max_attempts integer default 3 not null, run_at varchar(255) not null, locked_at varchar(255), locked_by varchar(255), last_error text, created_at varchar(255) not null, updated_at varchar(255) not null);

CREATE TABLE memory_facts(id varchar(255) primary key, text text not null, kind varchar(255) not null, entities_json text, source_session_id varchar(255), confidence double precision default 1.0, valid_from varchar(255), valid_to varchar(255), superseded_by varchar(255), embedding blob, created_at varchar(255) not null, updated_at varchar(255) not null);

CREATE VIRTUAL TABLE memory_facts_fts USING fts5(text, entities, content='memory_facts', content_rowid='rowid', tokenize='porter unicode61 remove_diacritics 2');

CREATE TABLE memory_entities(id varchar(255) primary key, name varchar(255) not null, name_norm varchar(255) not null, kind varchar(255), created_at varchar(255) not null, updated_at varchar(255) not null);

CREATE TABLE memory_edges(id varchar(255) primary key, src_entity_id varchar(255) not null, dst_entity_id varchar(255) not null, relation varchar(255) not null, source_fact_id varchar(255), valid_from varchar(255), valid_to varchar(255), superseded_by varchar(255), created_at varchar(255) not null, updated_at varchar(255) not null);
