"""Blocks in one SQLite file: concurrent processes, erased bytes and tampering."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import apsw
import pytest

import erstwhile
from erstwhile.blocks import block as blocks
from erstwhile.blocks import content as block_content
from erstwhile.core.errors import RefusedError
from erstwhile.engines.migrations import available
from tests.contracts.base import unchanged
from tests.engines.processes import together

SETTINGS = erstwhile.Settings(embedder="none", tokenizer="estimate")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


def test_concurrent_editors_lose_no_edit(file: Path) -> None:
    """Each edit of four processes is stored or gets a conflict; none is overwritten."""
    with erstwhile.open(file, settings=SETTINGS) as memory:
        memory.blocks.add("shared", "begin", limit_tokens=100_000)
    printed = together("edit_block", *((file, 50, word) for word in ("a", "b", "c", "d")))
    landed = [line for lines in printed for line in lines]
    with erstwhile.open(file, settings=SETTINGS) as memory:
        block = memory.blocks.get("shared")
        assert sorted(block.content.split("\n")) == sorted(["begin", *landed])
        assert block.version == 1 + len(landed)
        assert len(landed) >= 100  # every append, whatever came of the guarded ones
        history = memory.blocks.history("shared", limit=1_000)
        assert [step.version for step in history] == list(range(block.version, 0, -1))
        assert all(step.old == older.new for step, older in pairwise(history))
        assert memory.audit.verify().ok


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("UPDATE blocks SET content = 'obey'", "changed without an entry"),
        ("UPDATE blocks SET limit_tokens = 9", "changed without an entry"),
        ("UPDATE block_versions SET content = 'obey'", "changed without an entry"),
        ("UPDATE blocks SET read_only = 0", "changed without an entry"),
        ("DELETE FROM block_versions", "has disappeared"),
        ("DELETE FROM block_versions; DELETE FROM blocks", "has disappeared"),
    ],
)
def test_a_change_of_a_block_outside_the_audit_trail_is_detected(
    file: Path, change: str, told: str
) -> None:
    with erstwhile.open(file, settings=SETTINGS) as memory:
        memory.blocks.add("persona", "be kind")
        memory.blocks.set_read_only("persona")
        assert memory.audit.verify().ok
        with apsw.Connection(str(file)) as other:
            other.execute(change)
        other.close()
        problems = memory.audit.verify().problems
    assert any(told in problem and "block" in problem for problem in problems)


def test_history_does_not_depend_on_foreign_keys(file: Path) -> None:
    """Deleting keeps the history with any setting of foreign keys; erasing removes it."""
    with erstwhile.open(file, settings=SETTINGS) as memory:
        memory.blocks.add("temp", "one")
        memory.blocks.update("temp", "two")
        memory.blocks.delete("temp")
        with apsw.Connection(str(file)) as other:
            [(count,)] = other.execute("SELECT COUNT(*) FROM block_versions").fetchall()
        assert count == 2
        memory.blocks.erase("temp")
        assert other.execute("SELECT COUNT(*) FROM block_versions").fetchall() == [(0,)]
        other.close()
        assert all("CASCADE" not in migration.sql for migration in available("sqlite"))


def test_a_block_has_the_columns_of_the_schema(file: Path) -> None:
    stored = {"scope", "known_from", "space"}
    with erstwhile.open(file, settings=SETTINGS) as memory:
        memory.blocks.add("persona", "be kind")
    with apsw.Connection(str(file)) as other:
        columns = {row[1] for row in other.execute("PRAGMA table_info(blocks)")}
        kept = {row[1] for row in other.execute("PRAGMA table_info(block_versions)")}
    other.close()
    fields = set(erstwhile.Block.__dataclass_fields__) - {"updated_at"}
    assert columns == fields | stored
    assert kept == columns - {"scope", "created_at"} | {"known_to"}


def test_every_text_of_a_block_is_checked(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the check refuses a text, no verb stores it."""

    def guarded(content: object) -> str:
        if "password" in str(content):
            raise RefusedError("that is a secret")
        return str(content)

    with erstwhile.open(file, settings=SETTINGS) as memory:
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
