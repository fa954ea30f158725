"""Blocks in one SQLite file: history without foreign keys, and the check of each text."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

import erstwhile
from erstwhile.blocks import block as blocks
from erstwhile.blocks import content as block_content
from erstwhile.core.errors import RefusedError
from tests.contracts.base import unchanged


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[erstwhile.Memory]:
    settings = erstwhile.Settings(embedder="none", tokenizer="estimate")
    with erstwhile.open(tmp_path / "memory.db", settings=settings) as memory:
        yield memory


def test_history_does_not_depend_on_foreign_keys(memory: erstwhile.Memory, tmp_path: Path) -> None:
    """Deleting keeps the history with any setting of foreign keys; erasing removes it."""

    def versions() -> object:
        with apsw.Connection(str(tmp_path / "memory.db")) as other:
            [(count,)] = other.execute("SELECT COUNT(*) FROM block_versions").fetchall()
        other.close()
        return count

    memory.blocks.add("temp", "one")
    memory.blocks.update("temp", "two")
    memory.blocks.delete("temp")
    assert versions() == 2
    memory.blocks.erase("temp")
    assert versions() == 0


def test_every_text_of_a_block_is_checked(
    memory: erstwhile.Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the check refuses a text, no verb stores it."""

    def guarded(content: object) -> str:
        if "password" in str(content):
            raise RefusedError("that is a secret")
        return str(content)

    memory.blocks.add("notes", "tea")
    monkeypatch.setattr(block_content, "checked_content", guarded)
    bad = "my password"
    with unchanged(memory):
        for edit in (
            lambda: memory.blocks.add("other", bad),
            lambda: memory.blocks.update("notes", bad),
            lambda: memory.blocks.append("notes", bad),
            lambda: memory.blocks.insert("notes", 0, bad),
            lambda: memory.blocks.replace_text("notes", "tea", bad),
        ):
            with pytest.raises(RefusedError, match="secret"):
                edit()  # type: ignore[no-untyped-call]
    assert blocks.checked_content is not guarded
