"""Copies of a whole memory: backups, exports, and copies to another store."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import erstwhile
from erstwhile.cli.call import Call, counting
from erstwhile.cli.people import check_incoming, untrusted_note
from erstwhile.cli.signals import repeat


def backup(call: Call, *, folder: str, every: str | None = None, **limits: Any) -> int:

    def once() -> None:
        with counting("Backing up") as tell:
            made = erstwhile.backup(
                call.location, folder, settings=call.settings, progress=tell, **limits
            )
        removed = f"; older ones removed: {len(made.removed)}" if made.removed else ""
        rows = sum(made.rows.values())
        call.out.done(f"Backed up and verified: {rows:,} rows in {made.path}{removed}", made)

    return repeat(call, once, every)


def restore(call: Call, *, file: str, overwrite: bool, **given: Any) -> None:
    target, settings = call.location, call.settings
    check_incoming(file, target, settings, trust=given["trust_permissions"], replaces=overwrite)
    with counting("Restoring") as tell:
        restored = erstwhile.restore(
            file, target, overwrite=overwrite, settings=settings, progress=tell, **given
        )
    saved = f"; what was there is in {restored.saved}" if restored.saved else ""
    done = f"Restored {restored.rows:,} rows to {restored.target}{saved}"
    call.out.done(f"{done}{untrusted_note(restored.untrusted_permissions)}", restored)


def copy(call: Call, *, source: str, target: str, **given: Any) -> None:
    settings = replace(call.settings, space=given.get("target_space") or call.settings.space)
    check_incoming(source, target, settings, trust=given["trust_permissions"], replaces=True)
    with counting("Copying") as tell:
        copied = erstwhile.copy(source, target, settings=call.settings, progress=tell, **given)
    rows = sum(copied.rows.values())
    done = f"Copied and compared: {rows:,} rows, {copied.written:,} of them new"
    call.out.done(f"{done}{untrusted_note(copied.untrusted_permissions)}", copied)


def export(call: Call, *, file: str, form: str, **given: Any) -> None:
    with counting("Exporting") as tell:
        given |= {"format": form, "settings": call.settings, **call.given_scope}
        made = erstwhile.export(call.location, file, progress=tell, **given)
    lines = sum(made.lines.values())
    call.out.done(f"Exported {lines:,} records of {made.scopes:,} scopes to {made.path}", made)
