"""Files that are no memory: refused with a reason, and left unchanged."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

import erstwhile
from erstwhile.engines.sqlite.connection import PAGE
from tests.engines.processes import outcome


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def make_memory(file: Path, facts: int = 1) -> None:
    with erstwhile.open(file) as memory:
        memory.remember_many(f"fact {number}" for number in range(facts))


def run_sql(file: Path, *statements: str) -> None:
    connection = apsw.Connection(str(file))
    for statement in statements:
        connection.execute(statement).fetchall()
    connection.close()


def newer_schema(file: Path) -> None:
    make_memory(file)
    run_sql(file, "INSERT INTO migrations VALUES (9999, 'from_the_future', 'abc', 0)")


def edited_history(file: Path) -> None:
    make_memory(file)
    run_sql(file, "UPDATE migrations SET hash = 'abc' WHERE number = 1")


OTHERS = (erstwhile.CorruptError, "another file name")
REFUSALS: dict[str, tuple[Callable[[Path], object], type[erstwhile.ErstwhileError], str]] = {
    "a text": (
        lambda file: file.write_text("Dear diary,\n" * 1_000), erstwhile.CorruptError, "restore",
    ),
    "a short file": (
        lambda file: file.write_bytes(b"SQLite format 3\0 and then nothing of the kind"),
        erstwhile.CorruptError, "restore",
    ),
    "a database of another program": (
        lambda file: run_sql(file, "CREATE TABLE songs (title TEXT)"), *OTHERS,
    ),
    "a database without tables, marked by another program": (
        lambda file: run_sql(file, "PRAGMA application_id=42", "VACUUM"), *OTHERS,
    ),
    "a database of another program with a log": (
        lambda file: run_sql(file, "PRAGMA journal_mode=WAL", "CREATE TABLE songs (title TEXT)"),
        *OTHERS,
    ),
    "a newer schema": (newer_schema, erstwhile.NewerSchemaError, "newer version of Erstwhile"),
    "an edited history": (
        edited_history, erstwhile.EditedHistoryError, "version that made it",
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", REFUSALS)
def test_what_is_not_ours_is_refused_with_advice_and_left_as_it_is(
    tmp_path: Path, kind: str
) -> None:
    """No byte changes, and no companion files are left."""
    make, error, remedy = REFUSALS[kind]
    file = tmp_path / "memory.db"
    make(file)
    before = contents(tmp_path)
    with pytest.raises(error) as refused:
        erstwhile.open(file)
    assert remedy in refused.value.remedy
    assert not refused.value.retryable
    assert contents(tmp_path) == before


def test_the_refusal_of_a_newer_schema_names_both_versions(tmp_path: Path) -> None:
    """It shows which side is older."""
    newer_schema(tmp_path / "memory.db")
    with pytest.raises(erstwhile.NewerSchemaError, match=r"schema \d+.*knows \d+"):
        erstwhile.open(tmp_path / "memory.db")


def test_a_folder_is_no_memory(tmp_path: Path) -> None:
    (tmp_path / "memory.db").mkdir()
    with pytest.raises(erstwhile.InvalidInputError, match="folder"):
        erstwhile.open(tmp_path / "memory.db")


def test_a_file_in_place_of_a_folder_is_reported(tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("Dear diary")
    before = contents(tmp_path)
    with pytest.raises(erstwhile.StorageError, match="check the path"):
        erstwhile.open(tmp_path / "notes" / "memory.db")
    assert contents(tmp_path) == before


@pytest.mark.parametrize("location", ["", "  ", "a\0b", "postgresql://host/db", "x" * 5_000])
def test_what_is_not_a_place_is_refused(location: str) -> None:
    with pytest.raises((erstwhile.InvalidInputError, erstwhile.StorageError)):
        erstwhile.open(location)


def test_what_file_rights_forbid_is_a_typed_error() -> None:
    """An unreadable file, a read-only file, a read-only folder."""
    with tempfile.TemporaryDirectory() as folder:
        told = outcome("unprivileged", folder)
    only_read = {"read-only.db", "kept/inside.db"}
    assert {path for path, (kind, _) in told.items() if kind == "ReadOnlyError"} == only_read
    for kind, message in (told[path] for path in told.keys() - only_read):
        assert (kind, "permissions" in message) == ("StorageError", True)


def use(file: Path) -> None:
    """Read, check and write, so that most pages are used."""
    with erstwhile.open(file) as memory:
        memory.facts.list(state="any", limit=1_000)
        memory.facts.count(contains="fact")
        memory.audit.verify()
        memory.remember("one more")


@pytest.mark.parametrize("share", [0.001, 0.1, 0.5, 0.9])
def test_a_file_that_was_cut_off_is_corrupt_and_left_as_it_is(tmp_path: Path, share: float) -> None:
    file = tmp_path / "memory.db"
    make_memory(file, 500)
    whole = file.read_bytes()
    file.write_bytes(whole[: int(len(whole) * share)])
    before = file.read_bytes()
    with pytest.raises(erstwhile.CorruptError, match="damaged"):
        use(file)
    assert file.read_bytes() == before


def make_noise(file: Path, page: int) -> bytes:
    make_memory(file, 500)
    damaged = bytearray(file.read_bytes())
    damaged[page * PAGE : (page + 1) * PAGE] = b"\xa5" * PAGE
    file.write_bytes(damaged)
    return bytes(damaged)


def test_noise_in_the_map_of_pages_is_found_by_the_doctor(tmp_path: Path) -> None:
    """Readers do not need the second page: it tells where free pages can be taken from."""
    file = tmp_path / "memory.db"
    make_noise(file, 1)
    found = {each.name: each for each in erstwhile.doctor(file, models=False).checks}
    assert "repair --into" in found["pages"].remedy


@pytest.mark.parametrize("page", [0, 2, 3, 6])
def test_a_page_of_noise_is_corrupt_and_left_as_it_is(tmp_path: Path, page: int) -> None:
    file = tmp_path / "memory.db"
    damaged = make_noise(file, page)
    with pytest.raises(erstwhile.CorruptError, match="damaged"):
        use(file)
    assert file.read_bytes() == damaged
