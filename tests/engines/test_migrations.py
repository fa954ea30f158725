"""Migrations: every path leads to the same schema."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import apsw
import pytest

import erstwhile
from erstwhile.engines.migrations import Migration, available, pending
from erstwhile.engines.sqlite.connection import APPLICATION_ID, connect, migrate
from erstwhile.engines.sqlite.location import Location

BROUGHT = available("sqlite")
LATER = [
    Migration(len(BROUGHT) + 1, "moods", "CREATE TABLE moods (mood TEXT PRIMARY KEY) STRICT"),
    Migration(
        len(BROUGHT) + 2,
        "louder_moods",
        "ALTER TABLE moods ADD COLUMN loud INTEGER; CREATE INDEX moods_loud ON moods (loud)",
    ),
]
"""Two more, so that these tests mean something however few there are."""


def opened(file: Path) -> apsw.Connection:
    return connect(Location(str(file)), synchronous="FULL", patience=1)


def schema(connection: apsw.Connection) -> dict[str, object]:
    """Describe the schema of a file for comparison."""
    made = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY 1, 2")
    planned = connection.execute("SELECT tbl, idx, stat FROM sqlite_stat1 ORDER BY 1, 2")
    mark = connection.pragma("application_id")
    return {"made": made.fetchall(), "planned": planned.fetchall(), "mark": mark}


def records(connection: apsw.Connection) -> list[tuple[int, str, str]]:
    rows = connection.execute("SELECT number, name, hash FROM migrations ORDER BY number")
    return [(int(number), str(name), str(digest)) for number, name, digest in rows]


@pytest.mark.parametrize("all_of_them", [BROUGHT, [*BROUGHT, *LATER]], ids=["ours", "and more"])
def test_schema_by_migration_equals_schema_from_scratch(
    tmp_path: Path, all_of_them: list[Migration]
) -> None:
    """One file goes through every version, the other begins with the last."""
    grown, made = opened(tmp_path / "grown.db"), opened(tmp_path / "made.db")
    for version in range(len(all_of_them)):
        migrate(grown, all_of_them[: version + 1])
    migrate(made, all_of_them)
    assert schema(grown) == schema(made)
    assert records(grown) == records(made) == [each.record for each in all_of_them]
    grown.close()
    made.close()


def test_opening_a_memory_applies_exactly_the_migrations(tmp_path: Path) -> None:
    """Only migrations create tables."""
    erstwhile.open(tmp_path / "memory.db").close()
    by_hand, memory = opened(tmp_path / "by hand.db"), opened(tmp_path / "memory.db")
    migrate(by_hand, BROUGHT)
    assert schema(memory) == schema(by_hand)
    assert schema(memory)["mark"] == APPLICATION_ID
    by_hand.close()
    memory.close()


@pytest.mark.parametrize("version", range(len(BROUGHT) + 1))
def test_a_file_of_any_earlier_version_is_brought_up_to_date(tmp_path: Path, version: int) -> None:
    connection = opened(tmp_path / "memory.db")
    migrate(connection, BROUGHT[:version])
    connection.close()
    with erstwhile.open(tmp_path / "memory.db") as memory:
        assert memory.stats().schema == len(BROUGHT)
        assert memory.remember("it works").text == "it works"


def test_the_names_and_hashes_of_what_was_applied_are_recorded(tmp_path: Path) -> None:
    erstwhile.open(tmp_path / "memory.db").close()
    connection = opened(tmp_path / "memory.db")
    assert records(connection) == [migration.record for migration in BROUGHT]
    assert all(len(digest) == 64 for _, _, digest in records(connection))
    connection.close()


def test_migrating_again_changes_nothing(tmp_path: Path) -> None:
    connection = opened(tmp_path / "memory.db")
    migrate(connection, BROUGHT)
    before = connection.total_changes()
    migrate(connection, BROUGHT)
    assert connection.total_changes() == before
    connection.close()


def test_the_files_are_numbered_without_a_gap_and_delete_nothing_by_themselves() -> None:
    """Only an erasure removes rows, with any setting of foreign keys."""
    assert all("CASCADE" not in migration.sql for migration in BROUGHT)
    assert [migration.number for migration in BROUGHT] == list(range(1, len(BROUGHT) + 1))
    assert len({migration.name for migration in BROUGHT}) == len(BROUGHT)


def test_a_step_that_fails_leaves_nothing_of_itself_and_stays_pending(tmp_path: Path) -> None:
    """Step and record commit together; earlier steps stay."""
    connection = opened(tmp_path / "memory.db")
    broken = Migration(LATER[1].number, LATER[1].name, f"{LATER[1].sql}; CREATE TABEL oops")
    with pytest.raises(apsw.SQLError):
        migrate(connection, [*BROUGHT, LATER[0], broken])
    assert not connection.in_transaction
    assert records(connection) == [each.record for each in [*BROUGHT, LATER[0]]]
    migrate(connection, [*BROUGHT, *LATER])
    assert "moods_loud" in str(schema(connection)["made"])
    connection.close()


def _renamed(migration: Migration) -> Migration:
    return Migration(migration.number, f"{migration.name}_2", migration.sql)


def _edited(migration: Migration) -> Migration:
    return Migration(migration.number, migration.name, migration.sql + " ")


REFUSED: dict[str, tuple[Sequence[Migration], type[erstwhile.StorageError]]] = {
    "newer": ([*BROUGHT, *LATER, LATER[1]], erstwhile.NewerSchemaError),
    "edited": ([*BROUGHT, _edited(LATER[0])], erstwhile.EditedHistoryError),
    "renamed": ([*BROUGHT, _renamed(LATER[0])], erstwhile.EditedHistoryError),
    "exchanged": ([*BROUGHT, LATER[1], LATER[0]], erstwhile.EditedHistoryError),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_history_that_is_not_ours_is_refused(case: str) -> None:
    """It is longer than ours, or differs from it."""
    applied, error = REFUSED[case]
    with pytest.raises(error):
        pending([migration.record for migration in applied], [*BROUGHT, *LATER])


def test_what_is_pending_is_what_comes_after_the_last_record() -> None:
    ours = [*BROUGHT, *LATER]
    for version in range(len(ours) + 1):
        assert pending([each.record for each in ours[:version]], ours) == ours[version:]
