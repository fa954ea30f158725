"""`erstwhile install`, `uninstall` and `doctor NAME`: the memory in a coding agent."""

from __future__ import annotations

import getpass
import os
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from difflib import unified_diff
from pathlib import Path

from rich.console import Group, RenderableType
from rich.text import Text

from erstwhile.cli.call import Call
from erstwhile.cli.exit_codes import REFUSED
from erstwhile.cli.safe_text import safe_line
from erstwhile.cli.views.records import view
from erstwhile.core.arguments import is_server
from erstwhile.core.errors import InvalidInputError
from erstwhile.core.public_record import PublicRecord, public_record
from erstwhile.integrations.coding_agents import examine, install


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """A file, and its change as a unified diff."""

    path: str
    change: str


@public_record
class Installation(PublicRecord):
    """The changes of an installation: files, and calls of the program of the coding agent."""

    agent: str
    done: bool
    files: tuple[ChangedFile, ...]
    commands: tuple[str, ...]
    missing: str
    """The program of the agent, if it is not installed: run the commands when it is."""
    then: str
    """The next step of the user."""


def install_agent(call: Call, *, agent: str, dry_run: bool) -> None:
    chosen = install.host(agent)
    plan = install.plan_install(chosen, _options(call))
    if not dry_run:
        call.store.ping()  # creates the memory
        install.install(plan)
    call.out.record(_shown(plan, done=not dry_run, then=chosen.then))


def uninstall_agent(call: Call, *, agent: str, dry_run: bool) -> None:
    plan = install.plan_uninstall(install.host(agent))
    if not dry_run:
        install.uninstall(plan)
    call.out.record(_shown(plan, done=not dry_run, then="The memory itself stays."))


def doctor_agent(call: Call, agent: str) -> int:
    found = examine.examine(install.host(agent))
    call.out.record(found)
    return 0 if found.ok else REFUSED


def _options(call: Call) -> list[str]:
    """Return the global options of the commands that the agent will run."""
    if is_server(call.place):
        raise InvalidInputError(
            "a coding agent needs a memory on this machine", remedy="give a file with --db"
        )
    is_address = "://" in call.place
    place = call.place if is_address else str(Path(call.place).expanduser().absolute())
    scope = {"user": call.settings.user or _login(), "project": call.settings.project or "."}
    given = {**scope, "agent": call.settings.agent}
    pairs = (("--db", place), *((f"--{name}", value) for name, value in given.items() if value))
    return [word for pair in pairs for word in pair]


def _login() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # such as in a container without users
        return "me"


def _shown(plan: install.Plan, *, done: bool, then: str) -> Installation:
    missing = plan.host.program if plan.calls and not os.access(plan.calls[0][0], os.X_OK) else ""
    return Installation(
        agent=plan.host.name,
        done=done,
        files=tuple(map(_changed, plan.changes)),
        commands=tuple(map(shlex.join, plan.calls)),
        missing=missing,
        then=then,
    )


def _changed(change: install.FileChange) -> ChangedFile:
    before, after = (each or "" for each in (change.before, change.after))
    lines: Sequence[str] = [*unified_diff(before.splitlines(), after.splitlines(), lineterm="")][2:]
    return ChangedFile(str(change.path), "\n".join(lines))


@view.register
def _installation_view(made: Installation, _at: datetime | None) -> RenderableType:
    lines = list[Text]()
    for file in made.files:
        lines.append(Text(safe_line(file.path, 1_000), "bold"))
        for line in file.change.splitlines():
            style = {"+": "green", "-": "red", "@": "dim"}.get(line[:1], "")
            text = line[1:].lstrip(" ")
            lines.append(Text(f"  {line[: len(line) - len(text)]}{safe_line(text, 1_000)}", style))
    if made.commands:
        title = (
            f"{made.missing} is not installed. When it is, run:" if made.missing else "Commands:"
        )
        lines.append(Text(title, "bold"))
        lines += [Text(f"  {safe_line(each, 1_000)}", "cyan") for each in made.commands]
    state = "Done." if made.done else "Nothing was changed."
    lines.append(Text(f"{state} {made.then if made.done else ''}".rstrip(), "dim"))
    return Group(*lines)
