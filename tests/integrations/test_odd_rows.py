"""Rows of other programs that are odd: of nobody, of the program itself, or told twice."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import erstwhile
from erstwhile import Memory
from erstwhile.bootstrap import empty_like
from erstwhile.integrations.importers.registry import import_from
from tests.integrations.test_imported_people import left_out, texts
from tests.integrations.test_importers import DATA, database


def with_rows(program: str, folder: Path, rows: str) -> Path:
    """Build a database with the program's schema and rows of a test."""
    file = database(program, folder)
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(rows)
    return file


def test_what_belongs_to_nobody_is_shown_to_nobody(memory: Memory, tmp_path: Path) -> None:
    """A blank sender or owner, a scope without a name, and a level that is unknown here."""
    rows = """
        INSERT INTO facts (id, sender_id, key, value) VALUES
          ('n1', '', 'pin', 'tea'), ('n2', ' ', 'pin', 'tea');
        INSERT INTO conversations (id, channel, sender_id) VALUES ('n', 'cli', '');
        INSERT INTO messages (id, conversation_id, role, content)
          VALUES ('n', 'n', 'user', 'a secret');
        INSERT INTO lessons (id, sender_id, domain, rule) VALUES ('n', '', 'tea', 'no milk');"""
    made = import_from(memory, "kernex", with_rows("kernex", tmp_path, rows))
    told = {each.place: each.count for each in made.left_out if "not clear whose" in each.reason}
    assert told == {"facts": 2, "conversations": 1, "lessons": 1}
    rows = """
        INSERT INTO memories (id, content, scope_type, scope_id, scope_path) VALUES
          (21, 'one', 'user', NULL, 'global'), (22, 'two', 'session', '', 'global'),
          (23, 'three', 'global', NULL, 'global/team:red/user:ana'),
          (24, 'four', 'global', NULL, 'global/user:');
        INSERT INTO memories (id, content, owner_id) VALUES (25, 'five', '  ');"""
    made = import_from(memory, "engram", with_rows("engram", tmp_path, rows))
    [told_] = [each.count for each in made.left_out if "not clear whose" in each.reason]
    assert told_ == 5
    rows = """INSERT INTO memories (id, agent_id, content, tags, created_at)
        VALUES ('n', '', 'six', '[', 0)"""
    made = import_from(memory, "nexo", with_rows("nexo", tmp_path, rows))
    assert "it is not clear whose it is" in {each.reason for each in made.left_out}
    seen = texts(memory.everything())
    assert not seen & {"pin: tea", "one", "two", "three", "four", "five", "six"}
    assert not memory.conversations.list()
    assert not memory.lessons.list()


def test_the_state_of_kernex_is_no_person(memory: Memory, tmp_path: Path) -> None:
    """A file of one person goes to the person who was asked for, with "default" as no project."""
    file = tmp_path / "kernex.db"
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript((DATA / "schemas" / "kernex.sql").read_text("utf-8"))
        connection.executescript(
            """INSERT INTO facts (id, sender_id, key, value) VALUES
                 ('s', '__system__', 'last_run', '1'), ('w', '12345', 'welcomed', 'true'),
                 ('l', '12345', 'preferred_language', 'Portuguese');
               INSERT INTO lessons (id, sender_id, domain, rule, project, occurrences) VALUES
                 ('1', '12345', 'tea', 'No milk', 'default', 5),
                 ('2', '12345', 'tea', 'no milk', '', 2);
               INSERT INTO scheduled_tasks
                 (id, channel, sender_id, reply_target, description, due_at)
                 VALUES ('t', 'cli', '12345', '', 'Buy tea', '2030-01-01 10:00:00');"""
        )
    ana = memory.scoped(user="ana")
    made = import_from(ana, "kernex", file)
    assert left_out(made) == {"table facts": 2}
    assert [fact.key for fact in ana.facts.list()] == ["language"]
    assert ana.profile.language() == "Portuguese"
    assert [task.reply_to for task in ana.tasks.list()] == [None]
    assert import_from(ana, "kernex", file).others == {}
    assert [(each.rule, each.occurrences) for each in ana.lessons.list()] == [("No milk", 7)]
    assert not memory.everything().facts.list(key="last_run")


def test_chains_of_names_lead_to_one_person(memory: Memory, tmp_path: Path) -> None:
    rows = """
        INSERT INTO user_aliases VALUES
          ('b1', 'b2'), ('b2', 'b3'), ('round', 'trip'), ('trip', 'round');
        INSERT INTO facts (id, sender_id, key, value) VALUES ('p', 'b1', 'pet', 'a dog');"""
    import_from(memory, "kernex", with_rows("kernex", tmp_path, rows))
    assert memory.identities.resolve("b1") == "b3"
    assert texts(memory.scoped(user="b3")) == {"pet: a dog"}


def test_a_fact_that_ended_later_than_its_successor_began_keeps_its_end(
    memory: Memory, tmp_path: Path
) -> None:
    """Rubino lets several facts end for one that was there already."""
    rows = """INSERT INTO memory_facts
        (id, text, kind, valid_from, valid_to, superseded_by, created_at, updated_at) VALUES
        ('x1', 'Ana rows on Mondays', 'env', '2025-01-01', '2025-06-01', 'x3', '', ''),
        ('x3', 'Ana rows each day', 'env', '2025-03-01', NULL, NULL, '', '');"""
    import_from(memory.scoped(user="ana"), "rubino", with_rows("rubino", tmp_path, rows))
    old = memory.scoped(user="ana").facts.find("Ana rows on Mondays", state="retired")
    assert old.valid_to == datetime(2025, 6, 1, tzinfo=UTC)


def test_a_preview_has_the_settings_of_the_import(tmp_path: Path) -> None:
    """The tokenizer decides whether a block keeps its limit."""
    file = with_rows(
        "engram",
        tmp_path,
        "INSERT INTO memory_blocks (name, content, max_tokens) VALUES ('x', 'ab cd ef', 9);",
    )
    chosen = erstwhile.Settings(embedder="none", tokenizer="estimate")
    with erstwhile.open(":memory:", settings=chosen) as memory, empty_like(memory) as trial:
        assert trial.blocks.add("x").counted_by == memory.blocks.add("x").counted_by == "estimate"
        assert import_from(memory.scoped(user="ana"), "engram", file, preview=True).blocks == 2
