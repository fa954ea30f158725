"""Copies of a whole memory: backups, exports, and copies to another store."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import erstwhile
from erstwhile.cli.call import Call, counting
from erstwhile.cli.people import IncomingFile, untrusted_note
from erstwhile.cli.signals import repeat


def backup(call: Call, *, folder: str, every: str | None = None, **limits: Any) -> int:
    """Write a verified backup of the memory into FOLDER."""

    def once() -> None:
        with counting("Backing up") as tell:
            made = erstwhile.backup(
                call.location, folder, settings=call.settings, progress=tell, **limits
            )
        removed = f"; older ones removed: {len(made.removed)}" if made.removed else ""
        rows = sum(made.rows.values())
        call.out.done(f"Backed up and verified: {rows:,} rows in {made.path}{removed}", made)

    return repeat(call, once, every)


def restore(call: Call, *, file: str, overwrite: bool, trust_permissions: bool) -> None:
    """Restore BACKUP to the memory that --db names."""
    incoming = IncomingFile(file, call.location, call.settings, replaces=overwrite)
    incoming.check(trust_permissions=trust_permissions)
    with counting("Restoring") as tell:
        restored = erstwhile.restore(
            file,
            call.location,
            overwrite=overwrite,
            trust_permissions=trust_permissions,
            settings=call.settings,
            progress=tell,
        )
    saved = f"; what was there is in {restored.saved}" if restored.saved else ""
    done = f"Restored {restored.rows:,} rows to {restored.target}{saved}"
    call.out.done(f"{done}{untrusted_note(restored.untrusted_permissions)}", restored)


def copy(
    call: Call,
    *,
    source: str,
    target: str,
    source_space: str | None = None,
    target_space: str | None = None,
    trust_permissions: bool,
) -> None:
    """Copy the memory SOURCE to TARGET, and compare the two."""
    settings = replace(call.settings, space=target_space or call.settings.space)
    incoming = IncomingFile(source, target, settings, replaces=True)
    incoming.check(trust_permissions=trust_permissions)
    with counting("Copying") as tell:
        copied = erstwhile.copy(
            source,
            target,
            source_space=source_space,
            target_space=target_space,
            trust_permissions=trust_permissions,
            settings=call.settings,
            progress=tell,
        )
    rows = sum(copied.rows.values())
    done = f"Copied and compared: {rows:,} rows, {copied.written:,} of them new"
    call.out.done(f"{done}{untrusted_note(copied.untrusted_permissions)}", copied)


def export(call: Call, *, file: str, form: str, vectors: bool) -> None:
    """Write one snapshot of the memory to FILE."""
    with counting("Exporting") as tell:
        made = erstwhile.export(
            call.location,
            file,
            format=form,
            vectors=vectors,
            settings=call.settings,
            progress=tell,
            **call.given_scope,
        )
    lines = sum(made.lines.values())
    call.out.done(f"Exported {lines:,} records of {made.scopes:,} scopes to {made.path}", made)
