"""Uses and feedback are stored apart from facts, and a question costs no commit."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import apsw
import pytest

import erstwhile
from erstwhile import Memory
from erstwhile.recall import usage_recorder as uses
from erstwhile.recall.usage_recorder import BATCH
from tests.doubles import UnreliableEmbedder
from tests.recall.test_worker import until

FACTS = ["facts", "fact_versions", "fact_tags", "fact_entities"]
FACTS += ["passages", "partitions", "vectors", "outbox"]


@pytest.fixture
def memory(file: Path) -> Iterator[Memory]:
    with erstwhile.open(file, embedder="none") as memory:
        memory.remember("Ana drinks tea", entities=["Ana"], tags=["drink"])
        yield memory


def rows(file: Path, table: str) -> list[tuple[object, ...]]:
    with closing(apsw.Connection(str(file))) as connection:
        return list(connection.execute(f"SELECT * FROM {table}"))  # noqa: S608 (our own names)


def test_using_and_judging_write_to_no_table_of_facts(file: Path, memory: Memory) -> None:
    """No row of facts and no byte of the search index changes."""
    with closing(apsw.Connection(str(file))) as connection:
        for table in FACTS:
            for change in ("INSERT", "UPDATE", "DELETE"):
                connection.execute(
                    f"CREATE TRIGGER {table}_{change} BEFORE {change} ON {table}"
                    " BEGIN SELECT RAISE(ABORT, 'touched'); END"
                )
    before = rows(file, "passage_terms_data")
    assert memory.context("tea").items
    memory.flush()
    memory.feedback(memory.facts.list()[0].id, "useful")
    assert rows(file, "passage_terms_data") == before
    assert len(rows(file, "fact_uses")) == len(rows(file, "feedback")) == 1
    with pytest.raises(erstwhile.ConflictError, match="touched"):
        memory.remember("Ana drinks coffee")


def test_asking_writes_nothing_until_much_was_asked(file: Path, memory: Memory) -> None:
    """Many prompts share one commit, without a thread."""
    threads = threading.active_count()
    for number in range(BATCH - 1):
        memory.context(f"tea {number}")
    assert rows(file, "fact_uses") == []
    memory.context("tea")
    assert len(rows(file, "fact_uses")) == 1
    assert threading.active_count() == threads


def test_closing_writes_what_was_gathered(file: Path) -> None:
    with erstwhile.open(file, embedder="none") as memory:
        fact = memory.remember("Ana drinks tea")
        memory.context("tea")
        assert rows(file, "fact_uses") == []
    [(_, used, *_)] = rows(file, "fact_uses")
    assert used == fact.id


def test_the_thread_that_embeds_writes_what_has_waited(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So the uses of a program that never closes are stored."""
    monkeypatch.setattr(uses, "_MAX_SECONDS", -1.0)
    with erstwhile.open(file, embedder=UnreliableEmbedder()) as memory:
        memory.remember("Ana drinks tea")
        memory.context("tea")
        memory.remember("this wakes the thread")
        until(lambda: rows(file, "fact_uses"))


def test_no_word_of_a_question_is_stored(file: Path) -> None:
    with erstwhile.open(file, embedder="none") as memory:
        memory.remember("Ana drinks tea")
        memory.context("does Zanzibar drink tea?")
    assert b"anzibar" not in file.read_bytes()


def test_a_store_that_cannot_be_written_costs_a_reader_nothing(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The uses are kept for another try, and the answers go on."""

    def busy(_work: object) -> None:
        raise erstwhile.BusyError("somebody writes")

    monkeypatch.setattr(memory._access.engine, "write", busy)
    for number in range(2 * BATCH):
        assert memory.context(f"tea {number}").items
    memory.flush()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_child_does_not_write_what_its_parent_gathered(file: Path, memory: Memory) -> None:
    """The parent writes its own uses."""
    memory.context("tea")
    child = os.fork()
    if child == 0:
        memory.flush()
        os._exit(len(rows(file, "fact_uses")))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    memory.flush()
    assert len(rows(file, "fact_uses")) == 1
