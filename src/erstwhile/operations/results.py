"""Results of operations on whole memories."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from enum import StrEnum

from erstwhile.core.public_record import PublicRecord, public_record


@public_record
class Copied(PublicRecord):
    """The result of a copy, compared with its source row by row.

    `rows` has the number of rows of each table, and `hash` covers all of them. `written` and
    `removed` count the changes of this run. `untrusted_permissions` counts
    the permissions of people with no effect in the copy, because its source is not trusted.
    """

    rows: Mapping[str, int] = field(hash=False)
    written: int
    removed: int
    hash: str
    untrusted_permissions: int


@public_record
class Backup(PublicRecord):
    """A written and verified backup.

    `rows` has the number of rows of each table, `entries` the number of verified entries on the
    audit trail. `removed` are the older backups that were removed afterwards.
    """

    path: str
    made_at: datetime
    bytes: int
    rows: Mapping[str, int] = field(hash=False)
    entries: int
    removed: tuple[str, ...]


@public_record
class Restored(PublicRecord):
    """The result of a restoration. `saved` is the file with the replaced memory, if any.

    `untrusted_permissions` counts the permissions of people without effect here, because the backup
    is not trusted.
    """

    target: str
    rows: int
    saved: str | None
    untrusted_permissions: int


@public_record
class Exported(PublicRecord):
    """A written export: its path, and the number of lines of each table."""

    path: str
    bytes: int
    lines: Mapping[str, int] = field(hash=False)
    scopes: int


@public_record
class Refusal(PublicRecord):
    """A part of a file that is not imported, and the reason."""

    place: str
    reason: str
    count: int = 1
    """The number of records in this part."""


@public_record
class Imported(PublicRecord):
    """The result of an import.

    `scopes` counts the scopes that were new, `merged` those into which something was merged, and
    `known` those that are here already. `lines` has the number of imported lines of each table.
    Nothing of a refused scope or record is imported. `untrusted_permissions` counts the
    permissions of people without effect here, because the file is not trusted.
    """

    scopes: int
    merged: int
    known: int
    lines: Mapping[str, int] = field(hash=False)
    refused: tuple[Refusal, ...]
    untrusted_permissions: int


class Health(StrEnum):
    """The outcome of a check. `skipped`: it was not possible, or there is nothing to check."""

    OK = "ok"
    WARNING = "warning"
    PROBLEM = "problem"
    SKIPPED = "skipped"


@public_record
class HealthCheck(PublicRecord):
    """The result of one check, and its remedy."""

    name: str
    health: Health
    detail: str
    remedy: str = ""


@public_record
class Diagnosis(PublicRecord):
    """The results of all checks."""

    checks: tuple[HealthCheck, ...]
    location: str = ""
    """The examined store, without a password."""

    @property
    def ok(self) -> bool:
        """Whether there is no problem. Warnings are allowed."""
        return all(each.health is not Health.PROBLEM for each in self.checks)


@public_record
class RecoveredRows(PublicRecord):
    """Recovered rows of one table: copied, lost, or cut off from a lost parent row."""

    table: str
    copied: int
    lost: int
    cut_off: int = 0
    uncounted: bool = False
    """Whether more may be lost than `lost` says: no index of the table is whole."""


@public_record
class Repaired(PublicRecord):
    """The result of a repair."""

    path: str
    """The memory that was repaired, or the new file."""
    rebuilt: Mapping[str, int] = field(hash=False)
    """The number of wrong entries of each derived thing, which were made again."""
    tables: tuple[RecoveredRows, ...] = ()
    """The recovered rows of each table; empty if nothing had to be recovered."""
    audit_problems: int = 0
    """The number of problems of the audit trail: lost rows and entries."""
    untrusted_permissions: int = 0
    """The permissions of people without effect, because their file is not trusted."""

    @property
    def ok(self) -> bool:
        """Whether nothing was lost."""
        lost = any(each.lost or each.cut_off or each.uncounted for each in self.tables)
        return not lost and not self.audit_problems


@public_record
class MaintenanceStep(PublicRecord):
    """One step of a maintenance, and how many rows, pages or tables it changed."""

    name: str
    count: int
    unit: str
    """The counted thing."""


@public_record
class Maintained(PublicRecord):
    """The result of a maintenance; for a preview, the records that retention would remove."""

    at: datetime
    steps: tuple[MaintenanceStep, ...]
    preview: bool = False
