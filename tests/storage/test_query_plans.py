"""The query plans of SQLite: statements use indexes and scan no whole table."""

from __future__ import annotations

import re
from contextlib import closing
from pathlib import Path

import apsw
import pytest

import erstwhile
from erstwhile.storage.statements import load
from tests.storage.walking import WHOLE_SPACE, of_one_scope, variants

SQL = load("sqlite")
TABLES = {"scopes", "facts", "fact_versions", "fact_tags", "entities", "entity_names"} | {
    "fact_entities", "relations", "audit", "passages", "partitions", "vectors", "outbox",
    "embedders", "decisions", "blocks", "block_versions",
    "outcomes", "lessons", "observations", "limitations", "usage", "onboarding",
    "tasks", "task_runs", "checkpoints", "snapshots",
    "conversations", "messages", "compactions", "sessions", "identities",
    "fact_uses", "feedback", "requests",
    "learning", "attempts", "conflicts",
}  # fmt: skip
WALKING = WHOLE_SPACE | {
    "add_scope": "of the numbers it reads only the greatest",
    "add_embedder": "a space has one embedder, or two while it changes",
}
SHORT = ("_deleted (", "audit_unfinished (")
"""Indexes that hold only what is being looked for."""


@pytest.mark.parametrize("name", sorted(set(SQL.names) - set(WALKING)))
def test_a_statement_walks_through_no_whole_table(connection: apsw.Connection, name: str) -> None:
    for text in filter(of_one_scope, variants(SQL, name)):
        aliases = {alias: table for table, alias in re.findall(r"(\w+) AS (\w+)", text)}
        for step in _plan(connection, text):
            assert not _walks(step, aliases), text


def test_a_walk_is_recognised(connection: apsw.Connection) -> None:
    """The reason for the statistics in the first migration: else `space` seems to narrow much."""
    for name in WALKING:
        steps = [
            (step, {alias: table for table, alias in re.findall(r"(\w+) AS (\w+)", text)})
            for text in variants(SQL, name)
            for step in _plan(connection, text)
        ]
        assert any(_walks(step, aliases) for step, aliases in steps), name
    by_text = "SELECT 1 FROM facts AS f WHERE f.space = :space AND f.text = :text"
    assert any(_walks(step, {"f": "facts"}) for step in _plan(connection, by_text))


def test_maintenance_changes_no_plan_of_a_large_memory(tmp_path: Path) -> None:
    """SQLite would measure a sample, in which `space` narrows much, because there is only one."""
    file = tmp_path / "large.db"
    with (
        erstwhile.open(file, embedder="none") as memory,
        closing(apsw.Connection(str(file))) as raw,
    ):
        memory.remember("Ana lives in Porto")
        before = raw.execute(_STATISTICS).fetchall()
        raw.execute(_MANY_ENTRIES)
        memory.maintain()
        assert raw.execute(_STATISTICS).fetchall() == before
        assert "rowid" in _plan(raw, SQL["last_change_at",])[0]


_STATISTICS = "SELECT tbl, idx, stat FROM sqlite_stat1 ORDER BY tbl, idx"
_MANY_ENTRIES = """
WITH RECURSIVE numbers (number) AS (
  SELECT 2 UNION ALL SELECT number + 1 FROM numbers WHERE number < 310000)
INSERT INTO audit (space, scope, seq, at, actor, action, subject, digest, hash)
SELECT 'main', 1, number, number, '', 'remember', number, x'', x'' FROM numbers"""


def _plan(connection: apsw.Connection, text: str) -> list[str]:
    nothing = dict.fromkeys(re.findall(r":([a-z_]+)", text))
    rows = connection.execute(f"EXPLAIN QUERY PLAN {text}", nothing)
    return [str(row[3]) for row in rows]


def _walks(step: str, aliases: dict[str, str]) -> bool:
    scanned = re.fullmatch(r"SCAN (\w+).*", step)
    whole = scanned is not None and aliases.get(scanned[1], scanned[1]) in TABLES
    return whole or (step.endswith("(space=?)") and not any(index in step for index in SHORT))
