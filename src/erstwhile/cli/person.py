"""Tell a person from a program: what a person decided is changed only by a person.

An agent with a shell can run every command. So the word of a person is taken, changed and destroyed
only at a terminal, and only for the accounts that the memory itself names. The account is the one
of the process: no part of the environment says who is a person.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

import erstwhile
from erstwhile.cli.call import Call, is_terminal
from erstwhile.cli.safe_text import safe_line
from erstwhile.core.errors import CorruptError, NotFoundError, RefusedError
from erstwhile.core.page import MAX_LIMIT
from erstwhile.core.settings import Settings
from erstwhile.decisions.people import named_people, parse_people

if sys.platform != "win32":
    import pwd

if TYPE_CHECKING:  # imported for type checking only: `erstwhile --help` must stay fast
    from erstwhile.decisions.collection import Decisions
    from erstwhile.decisions.decision import Decision
    from erstwhile.memory import Memory

vouching = click.option(
    "--vouch",
    is_flag=True,
    help="What people allowed in it counts here, too; confirm it at a terminal.",
)


def require_person(call: Call, question: str) -> None:
    """Ask whoever sits at the terminal. Raise RefusedError if it is no person, or says no."""
    ask_person(question, lambda: _store_of(call))


def ask_person(question: str, store: Callable[[], Memory | None]) -> None:
    """Do the same for another memory. `store` returns it, or None if there is none yet."""
    if not (is_terminal(sys.stdin) and is_terminal(sys.stderr)):
        raise RefusedError(
            "only a person at a terminal can say this",
            remedy="run it at a terminal, or use the Python interface",
        )
    memory = store()
    people = None if memory is None else parse_people(named_people(memory.decisions))
    if people is not None and _account() not in people:
        raise RefusedError(
            "this account may not speak for a person",
            remedy="use an account that `erstwhile decisions people` names",
        )
    if not click.confirm(safe_line(question), err=True):
        raise RefusedError("nothing was changed", remedy="answer y if you decided it yourself")


def protect(
    call: Call, decisions: Decisions, concerns: Callable[[Decision], bool], *, deleted: bool = False
) -> None:
    """Require a person if a change concerns something that a person decided."""
    if any(concerns(decision) for decision in by_people(decisions, deleted=deleted)):
        question = "A person decided this. Did you decide yourself to change it?"
        require_person(call, question)


@dataclass(frozen=True, slots=True)
class Arrival:
    """A source that is written to the memory at `place`."""

    source: str
    place: str
    settings: Settings
    replaces: bool = False
    """Whether it replaces what is there."""

    def check(self, *, vouch: bool) -> None:
        """Require a person who vouches for the source, or replaces what people decided."""
        with _existing(self.place, self.settings) as memory:
            if self.replaces and memory is not None and _has_words(memory):
                question = (
                    f"People decided something in {self.place}. Did you decide to replace it?"
                )
                ask_person(question, lambda: memory)
            if vouch:
                question = f"Do you vouch for what people allowed in {self.source}?"
                ask_person(question, lambda: memory)


def unvouched_note(count: int) -> str:
    """Return what a report says of permissions that nobody vouches for."""
    if not count:
        return ""
    return f"; permissions of people that allow nothing until somebody vouches for them: {count:,}"


def _store_of(call: Call) -> Memory | None:
    """Return the memory of a call without a scope, if there is one."""
    try:
        return call.store
    except NotFoundError:
        return None


@contextmanager
def _existing(place: str, settings: Settings) -> Iterator[Memory | None]:
    """Open the memory at a place, if there is one that can be read."""
    try:
        memory = erstwhile.open(
            place, settings=settings, embedder="none", llm="none", learners=0, create=False
        )
    except (NotFoundError, CorruptError):
        yield None
        return
    with memory:
        yield memory


def _has_words(memory: Memory) -> bool:
    """Return whether a person decided something in a memory that can be read."""
    try:
        return any(True for _ in by_people(memory.everything().decisions))
    except CorruptError:
        return False


def by_people(decisions: Decisions, *, deleted: bool = False) -> Iterator[Decision]:
    """Yield the visible decisions of people."""
    cursor: str | None = None
    while True:
        page = decisions.list(decided_by="person", deleted=deleted, limit=MAX_LIMIT, cursor=cursor)
        yield from page
        cursor = page.next
        if cursor is None:
            return


def _account() -> str:
    """Return the name of the account that runs this process."""
    if sys.platform == "win32":
        return os.getlogin()
    return pwd.getpwuid(os.getuid()).pw_name
