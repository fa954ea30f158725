"""Erasing a person leaves no byte of what they said in the files."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

import erstwhile
from tests.contracts.storage.erasing import lives
from tests.engines.test_erasure import IMPATIENT, Tokens, assert_gone, bytes_on_disk


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


def test_nothing_of_an_erased_person_is_in_the_files(file: Path) -> None:
    """Not in a table, an index, a free page, the audit trail or the log; all of the other is."""
    gone, kept = Tokens(1), Tokens(2)
    with erstwhile.open(file, settings=IMPATIENT, embedder="hashing") as memory:
        for token, user in ((kept, "u-1"), (gone, "u-2")):
            lives(memory, user, token())
            memory.flush()
            memory.scoped(user=user).remember(f"{token()} waits for a vector")
        there = bytes_on_disk(file)
        assert all(word.encode() in there for word in gone.made)
        memory.erase_user("u-2")
        assert_gone(file, gone, kept)
        assert memory.everything().audit.verify().ok


def test_an_erasure_that_a_reader_cut_short_is_finished_by_the_next(file: Path) -> None:
    gone = Tokens(1)
    with erstwhile.open(file, settings=IMPATIENT) as memory:
        memory.scoped(user="u-2").blocks.add("notes", gone())
        reader = apsw.Connection(str(file))
        reader.execute("BEGIN; SELECT COUNT(*) FROM facts").fetchall()
        with pytest.raises(erstwhile.BusyError):
            memory.erase_user("u-2")
        reader.close()
        assert dict(memory.erase_user("u-2").collections) == {}
        assert_gone(file, gone, Tokens(2))
