"""Every error of SQLite becomes an error of ours, and nothing is changed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

import erstwhile
from erstwhile.core.ports import Session


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[erstwhile.Memory]:
    with erstwhile.open(tmp_path / "memory.db") as opened:
        opened.remember("from before")
        yield opened


def writer(memory: erstwhile.Memory) -> apsw.Connection:
    connection = memory._access.engine._writer.connection  # type: ignore[attr-defined]
    assert isinstance(connection, apsw.Connection)
    return connection


def test_a_full_disk_changes_nothing_and_can_be_survived(memory: erstwhile.Memory) -> None:
    connection = writer(memory)
    pages = connection.pragma("page_count")
    connection.pragma("max_page_count", pages)
    with pytest.raises(erstwhile.StorageError, match="disk is full: free some space"):
        memory.remember_many(["a little", "much " * 10_000])
    assert [fact.text for fact in memory.facts.list(state="any")] == ["from before"]
    connection.pragma("max_page_count", pages + 1_000)
    assert memory.remember("much " * 10_000).evidence == 1
    assert memory.audit.verify().ok


def test_an_interrupted_change_changes_nothing(memory: erstwhile.Memory) -> None:
    connection = writer(memory)
    connection.set_progress_handler(lambda: True, 50)
    with pytest.raises(erstwhile.StorageError, match="interrupted"):
        memory.remember_many(f"fact {number}" for number in range(100))
    connection.set_progress_handler(None)
    assert memory.facts.count(state="any") == 1
    assert memory.remember("afterwards").evidence == 1


def test_an_interrupted_question_can_be_asked_again(memory: erstwhile.Memory) -> None:
    memory.facts.count()
    [reader] = memory._access.engine._readers  # type: ignore[attr-defined]
    reader.connection.set_progress_handler(lambda: True, 5)
    with pytest.raises(erstwhile.StorageError, match="interrupted"):
        memory.facts.list()
    reader.connection.set_progress_handler(None)
    assert memory.facts.count() == 1


STATEMENTS = {
    "INSERT INTO fact_tags VALUES ('main', 1, 'tag', 'no such fact', 0)": erstwhile.ConflictError,
    "INSERT INTO facts SELECT * FROM facts": erstwhile.ConflictError,
    "UPDATE facts SET evidence = 'much'": erstwhile.ConflictError,
    "SELECT * FROM no_such_table": erstwhile.StorageError,
    "not even SQL": erstwhile.StorageError,
}


@pytest.mark.parametrize("statement", STATEMENTS)
def test_a_statement_that_fails_is_an_error_of_ours(
    memory: erstwhile.Memory, statement: str
) -> None:
    """Foreign keys, unique indexes and column types are all enforced."""

    def work(session: Session) -> int:
        return session.run(statement, {})

    with pytest.raises(STATEMENTS[statement]):
        memory._access.engine.write(work)
    assert memory.facts.count() == 1
    assert memory.audit.verify().ok
