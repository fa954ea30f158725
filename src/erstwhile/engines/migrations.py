"""Numbered migrations of the schema.

Each file is applied in one transaction together with its record, so a crash leaves both or neither.
The record holds a hash of the file: an edited history is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from erstwhile.core.errors import EditedHistoryError, NewerSchemaError


@dataclass(frozen=True, slots=True)
class Migration:
    """One step from a schema to the next."""

    number: int
    name: str
    sql: str

    @property
    def record(self) -> tuple[int, str, str]:
        return self.number, self.name, sha256(self.sql.encode()).hexdigest()


def available(dialect: str) -> list[Migration]:
    """Return the migrations of this version of Erstwhile, in order."""
    folder = Path(__file__).parent / dialect / "schema"
    return [
        Migration(int(file.stem[:4]), file.stem[5:], file.read_text("utf-8"))
        for file in sorted(folder.glob("*.sql"))
    ]


def pending(
    applied: Sequence[tuple[int, str, str]], brought: Sequence[Migration]
) -> list[Migration]:
    """Return the migrations to apply. Raise StorageError if the recorded ones are unknown."""
    if len(applied) > len(brought):
        raise NewerSchemaError(
            f"this memory has schema {len(applied)}, and this Erstwhile knows {len(brought)}",
            remedy="install a newer version of Erstwhile",
        )
    for record, migration in zip(applied, brought, strict=False):
        if tuple(record) != migration.record:
            raise EditedHistoryError(
                f"migration {record[0]} ({record[1]}) was applied in another form than this "
                "version has it",
                remedy="open the memory with the version that made it, or restore a backup",
            )
    return list(brought[len(applied) :])
