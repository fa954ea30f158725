"""Commands that examine, repair and maintain a whole store, and encrypt its file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import erstwhile
from erstwhile.cli.call import Call, confirm, counting, working
from erstwhile.cli.commands.coding_agents import doctor_agent
from erstwhile.cli.exit_codes import REFUSED
from erstwhile.cli.signals import repeat
from erstwhile.core.errors import InvalidInputError
from erstwhile.operations import store
from erstwhile.operations.results import Diagnosis, Repaired


def doctor(call: Call, *, no_models: bool, agent: str | None = None) -> int:
    if agent is not None:
        return doctor_agent(call, agent)
    return _show_steps(call, "Examining", erstwhile.doctor, models=not no_models)


def repair(call: Call, *, into: str | None = None) -> int:
    return _show_steps(call, "Repairing", erstwhile.repair, into=into)


def _show_steps(call: Call, doing: str, work: Callable[..., Any], **given: Any) -> int:
    with working(f"{doing}…") as tell:
        given["progress"] = lambda step: tell(f"{doing}: {step}…")
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
        with working("Maintaining…") as tell:
            done = call.store.maintain(
                ", ".join(limits) if limits else None,
                preview=preview,
                compact=compact,
                progress=call.local_only(lambda step: tell(f"Maintaining: {step}…")),
            )
        call.out.record(done)

    return repeat(call, once, every)


def consolidate(call: Call, *, preview: bool, every: str | None = None) -> int:

    def once() -> None:
        with working("Consolidating…"):
            done = call.memory.consolidate(preview=preview)
        call.out.record(done)

    return repeat(call, once, every)


def reembed(call: Call) -> None:
    """Embed all texts with the embedder of the settings."""
    with counting("Embedding") as tell:
        count = call.store.reembed(call.local_only(tell))
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
