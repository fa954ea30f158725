"""Commands about a whole store: copies of it, its health, its maintenance and its encryption."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import erstwhile
from erstwhile.cli.call import Call, confirm, counting, working
from erstwhile.cli.commands.coding_agents import doctor_agent
from erstwhile.cli.exit_codes import REFUSED
from erstwhile.cli.people import check_incoming, untrusted_note
from erstwhile.cli.signals import repeat
from erstwhile.core.errors import InvalidInputError
from erstwhile.operations import store
from erstwhile.operations.results import Diagnosis, Repaired


def backup(call: Call, *, folder: str, every: str | None = None, **limits: Any) -> int:

    def once() -> None:
        with counting("Backing up") as show:
            made = erstwhile.backup(
                call.location, folder, settings=call.settings, progress=show, **limits
            )
        removed = f"; older ones removed: {len(made.removed)}" if made.removed else ""
        rows = sum(made.rows.values())
        call.out.done(f"Backed up and verified: {rows:,} rows in {made.path}{removed}", made)

    return repeat(call, once, every)


def restore(call: Call, *, file: str, overwrite: bool, **given: Any) -> None:
    target, settings = call.location, call.settings
    check_incoming(file, target, settings, trust=given["trust_permissions"], replaces=overwrite)
    with counting("Restoring") as show:
        restored = erstwhile.restore(
            file, target, overwrite=overwrite, settings=settings, progress=show, **given
        )
    saved = f"; what was there is in {restored.saved}" if restored.saved else ""
    done = f"Restored {restored.rows:,} rows to {restored.target}{saved}"
    call.out.done(f"{done}{untrusted_note(restored.untrusted_permissions)}", restored)


def copy(call: Call, *, source: str, target: str, **given: Any) -> None:
    settings = replace(call.settings, space=given.get("target_space") or call.settings.space)
    check_incoming(source, target, settings, trust=given["trust_permissions"], replaces=True)
    with counting("Copying") as show:
        copied = erstwhile.copy(source, target, settings=call.settings, progress=show, **given)
    rows = sum(copied.rows.values())
    done = f"Copied and compared: {rows:,} rows, {copied.written:,} of them new"
    call.out.done(f"{done}{untrusted_note(copied.untrusted_permissions)}", copied)


def export(call: Call, *, file: str, form: str, **given: Any) -> None:
    with counting("Exporting") as show:
        given |= {"format": form, "settings": call.settings, **call.given_scope}
        made = erstwhile.export(call.location, file, progress=show, **given)
    lines = sum(made.lines.values())
    call.out.done(f"Exported {lines:,} records of {made.scopes:,} scopes to {made.path}", made)


def doctor(call: Call, *, no_models: bool, agent: str | None = None) -> int:
    if agent is not None:
        return doctor_agent(call, agent)
    return _show_steps(call, "Examining", erstwhile.doctor, models=not no_models)


def repair(call: Call, *, into: str | None = None) -> int:
    return _show_steps(call, "Repairing", erstwhile.repair, into=into)


def _show_steps(call: Call, doing: str, work: Callable[..., Any], **given: Any) -> int:
    with working(f"{doing}…") as show:
        given["progress"] = lambda step: show(f"{doing}: {step}…")
        found: Diagnosis | Repaired = work(call.location, settings=call.settings, **given)
    call.out.record(found)
    return 0 if found.ok else REFUSED


def maintain(
    call: Call,
    *,
    limits: tuple[str, ...] = (),
    preview: bool,
    compact: bool,
    every: str | None = None,
) -> int:

    def once() -> None:
        with working("Maintaining…") as show:
            done = call.store.maintain(
                ", ".join(limits) if limits else None,
                preview=preview,
                compact=compact,
                progress=call.local_only(lambda step: show(f"Maintaining: {step}…")),
            )
        call.out.record(done)

    return repeat(call, once, every)


def consolidate(call: Call, *, preview: bool, every: str | None = None) -> int:

    def once() -> None:
        with working("Consolidating…"):
            done = call.memory.consolidate(preview=preview)
        call.out.record(done)

    return repeat(call, once, every)


def reembed(call: Call, *, pairs: Mapping[str, str] | None = None) -> None:
    """Embed all texts with the embedder of the settings."""
    with counting("Embedding") as show:
        count = call.store.reembed(call.local_only(show), pairs=pairs)
    name = "the server's embedder" if call.is_remote else call.settings.embedder
    call.out.done(
        f"{name} is in use now; texts embedded: {count:,}", {"embedder": name, "embedded": count}
    )


def repair_time(call: Call, *, yes: bool, preview: bool = False) -> None:
    """Show the times in the future, and move them back."""
    seen = call.memory.audit.repair_time(preview=True)
    if preview or not seen.entries:
        call.out.record(seen)
        return
    question = f"Move the times of {seen.entries:,} changes, {seen.first} and later?"
    confirm(lambda: question, yes=yes)
    done = call.memory.audit.repair_time()
    call.out.done(f"Moved the times of {done.entries:,} changes", done)


def distribute(call: Call, *, database: str) -> None:
    with working("Distributing the tables…"):
        tables = store.distribute(database, settings=call.settings)
    done = f"Distributed: {', '.join(tables)}" if tables else "All tables were distributed before"
    call.out.done(done, {"distributed": tables})


def encrypt(call: Call) -> None:
    file = call.location  # a location on a server is refused whether there is a key or not
    if not call.settings.key:
        raise InvalidInputError("there is no key", remedy="set ERSTWHILE_KEY, such as file:PATH")
    _change_key(call, file, "", call.settings.key, "Encrypted")


def decrypt(call: Call) -> None:
    _change_key(call, call.location, call.settings.key, "", "Decrypted")


def rekey(call: Call, *, new_key: str) -> None:
    _change_key(call, call.location, call.settings.key, new_key, "Encrypted with the new key")


def _change_key(call: Call, file: str, old: str, new: str, done: str) -> None:
    with working("Copying and checking…"):
        erstwhile.rekey(file, old_key=old, new_key=new)
    call.out.done(f"{done}: {file}", {"path": file, "encrypted": bool(new)})
