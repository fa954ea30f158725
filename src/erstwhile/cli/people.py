"""Confirmation by people: only a person may change what a person decided.

An agent with a shell can run every command. So a decision of a person is recorded, changed and
destroyed only at a terminal, and only by the accounts that the memory itself names. The account
is the one of the process: nothing in the environment says who is a person.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

import erstwhile
from erstwhile.cli.call import Call, is_terminal
from erstwhile.cli.safe_text import safe_line
from erstwhile.core.errors import CorruptError, NotFoundError, RefusedError
from erstwhile.core.results import all_items
from erstwhile.core.settings import Settings
from erstwhile.core.time import parse_age
from erstwhile.decisions.decision import Decider, Decision, named_people, parse_people

if sys.platform != "win32":
    import pwd

if TYPE_CHECKING:  # imported for type checking only: `erstwhile --help` must stay fast
    from erstwhile.decisions.collection import Decisions
    from erstwhile.memory import Memory


def require_person(call: Call, question: str) -> None:
    """Ask the person at the terminal. Raise RefusedError if there is none, or the answer is no."""
    _check_terminal()  # first: a refused call creates no memory
    try:
        memory = call.store
    except NotFoundError:
        memory = None
    _ask_person(question, memory)


def _check_terminal() -> None:
    if not (is_terminal(sys.stdin) and is_terminal(sys.stderr)):
        raise RefusedError(
            "only a person at a terminal can confirm this",
            remedy="run it at a terminal, or use the Python interface",
        )


def _ask_person(question: str, memory: Memory | None) -> None:
    """Ask the person at the terminal, if the memory names this account as a person."""
    _check_terminal()
    people = None if memory is None else parse_people(named_people(memory.decisions))
    # The account of the process: nothing in the environment says who is a person.
    account = os.getlogin() if sys.platform == "win32" else pwd.getpwuid(os.getuid()).pw_name
    if people is not None and account not in people:
        raise RefusedError(
            "this account may not speak for a person",
            remedy="use an account that `erstwhile decisions people` names",
        )
    if not click.confirm(safe_line(question), err=True):
        raise RefusedError("nothing was changed", remedy="answer y if you decided it yourself")


def protect(
    call: Call, decisions: Decisions, concerns: Callable[[Decision], bool], *, deleted: bool = False
) -> None:
    """Require a person if a change concerns a decision of a person."""
    if any(concerns(decision) for decision in decisions_of_people(decisions, deleted=deleted)):
        require_person(call, "A person decided this. Did you decide yourself to change it?")


def protect_decisions(call: Call, command: str, given: Mapping[str, Any]) -> None:
    """Require a person if a command changes decisions of people."""
    ids = given.get("ids") or (given["id"],) if "id" in given or "ids" in given else ()
    before = None
    if older_than := given.get("older_than"):
        before = parse_age(older_than, now=datetime.now(UTC), name="older_than")

    def concerns(decision: Decision) -> bool:
        if before is None:
            return any(decision.id.startswith(id.strip().lower()) for id in ids)
        old = isinstance(decision.decided_at, datetime) and decision.decided_at < before
        return old and given.get("decided_by") in (None, Decider.PERSON)

    protect(call, call.memory.decisions, concerns, deleted=command == "restore")


def check_incoming(
    source: str, target: str, settings: Settings, *, trust: bool, replaces: bool = False
) -> None:
    """Require a person to trust the permissions in a file, or to replace decisions of people.

    The file or database `source` is about to be written to the memory at `target`.
    """
    with _open_existing(target, settings) as memory:
        decided = False
        if replaces and memory is not None:
            with suppress(CorruptError):
                decided = any(True for _ in decisions_of_people(memory.everything().decisions))
        if decided:
            _ask_person(f"People decided something in {target}. Do you want to replace it?", memory)
        if trust:
            _ask_person(f"Do you trust the permissions of people in {source}?", memory)


def person_agrees(location: str, settings: Settings, question: str) -> bool:
    """Return whether a person at the terminal agrees. The memory is closed again."""
    with _open_existing(location, settings) as memory:
        try:
            _ask_person(question, memory)
        except RefusedError:
            return False
    return True


def untrusted_note(count: int) -> str:
    """Return the note about permissions that nobody trusts yet."""
    return f"; permissions of people without effect until trusted: {count:,}" if count else ""


@contextmanager
def _open_existing(location: str, settings: Settings) -> Iterator[Memory | None]:
    """Open the memory at a location, if there is one that can be read."""
    try:
        memory = erstwhile.open(
            location, settings=settings, embedder="none", llm="none", learners=0, create=False
        )
    except (NotFoundError, CorruptError):
        yield None
        return
    with memory:
        yield memory


def decisions_of_people(decisions: Decisions, *, deleted: bool = False) -> Iterator[Decision]:
    """Return the visible decisions of people."""
    return all_items(decisions.list, decided_by="person", deleted=deleted)
