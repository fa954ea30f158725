"""Erasing records leaves no byte: the raw files are searched for every piece of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import erstwhile
from tests.engines.test_erasure import (
    IMPATIENT,
    Tokens,
    assert_gone,
    bytes_on_disk,
    pieces,
    windows,
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


@pytest.fixture
def memory(file: Path) -> Iterator[erstwhile.Memory]:
    with erstwhile.open(file, settings=IMPATIENT) as opened:
        yield opened


def record_fully(memory: erstwhile.Memory, token: Tokens, length: int) -> dict[str, list[str]]:
    """Add records with every field, changed, deleted and restored; return their ids."""
    outcome = memory.outcomes.add(token(), 1, note=token.text(length), source=token())
    rule = token.text(min(length, 2_000))
    lesson = memory.lessons.add(token(), rule)
    memory.lessons.add(lesson.domain, rule)
    observation = memory.observations.add(
        "bugfix", token(200), what=token.text(length), why=token(), where=token(), learned=token()
    )
    title = token(200)
    limitation = memory.limitations.add(title, description=token.text(length))
    memory.limitations.add(title, plan=token())
    memory.limitations.resolve(limitation.id, resolution=token())
    entry = memory.usage.record(token(), input=1, session=token())
    ids = {
        "outcomes": [outcome.id], "lessons": [lesson.id], "observations": [observation.id],
        "limitations": [limitation.id], "usage": [entry.id],
    }  # fmt: skip
    for name, each in ids.items():
        getattr(memory, name).delete(each[0], reason=token())
        getattr(memory, name).restore(each[0], reason=token())
    return ids


@pytest.mark.parametrize("length", [40, 3_000, 10_000], ids=["short", "pages", "long"])
@pytest.mark.parametrize("how", ["erase", "purge"])
def test_erased_records_leave_nothing_and_others_stay(
    memory: erstwhile.Memory, file: Path, length: int, how: str
) -> None:
    """Texts, labels, reasons and indexed terms."""
    gone, kept = Tokens(1), Tokens(2)
    record_fully(memory, kept, length)
    ids = record_fully(memory, gone, length)
    record_fully(memory, kept, length)
    there = windows(bytes_on_disk(file))
    assert all(pieces([word]) & there for word in gone.made)
    for name, each in ids.items():
        collection = getattr(memory, name)
        if how == "purge":
            collection.delete(each[0])
            assert collection.purge("0 days").ids == tuple(each)
        else:
            assert collection.erase(*each).ids == tuple(each)
    assert_gone(file, gone, kept)
    assert memory.audit.verify().ok


def test_a_purge_erases_many_records(memory: erstwhile.Memory) -> None:
    """There are more than fit into one transaction."""
    for number in range(501):
        memory.outcomes.delete(memory.outcomes.add("x", 1, note=str(number)).id)
    assert memory.outcomes.purge("0 days").records == 501
    assert memory.audit.verify().ok
