"""Tell a person from a program: what a person decided is changed only by a person.

An agent with a shell can run every command. So the word of a person is taken, changed and destroyed
only at a terminal, and only for the accounts of the setting `people`. The account is the one of the
process: the environment cannot claim another one.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import click

from erstwhile.cli.call import Call, is_terminal
from erstwhile.cli.safe_text import safe_line
from erstwhile.core.errors import RefusedError
from erstwhile.core.page import MAX_LIMIT
from erstwhile.core.people import parse_people

if sys.platform != "win32":
    import pwd

if TYPE_CHECKING:  # imported for type checking only: `erstwhile --help` must stay fast
    from erstwhile.decisions.collection import Decisions
    from erstwhile.decisions.decision import Decision


def require_person(call: Call, question: str) -> None:
    """Ask whoever sits at the terminal. Raise RefusedError if it is no person, or says no."""
    people = parse_people(call.settings.people)
    if people is not None and _account() not in people:
        raise RefusedError(
            "this account may not speak for a person",
            remedy="use an account that the setting `people` names, or the Python interface",
        )
    if not (is_terminal(sys.stdin) and is_terminal(sys.stderr)):
        raise RefusedError(
            "only a person at a terminal can say this",
            remedy="run it at a terminal, or use the Python interface",
        )
    if not click.confirm(safe_line(question), err=True):
        raise RefusedError("nothing was changed", remedy="answer y if you decided it yourself")


def protect(
    call: Call, decisions: Decisions, concerns: Callable[[Decision], bool], *, deleted: bool = False
) -> None:
    """Require a person if a change concerns something that a person decided."""
    if any(concerns(decision) for decision in _by_people(decisions, deleted=deleted)):
        require_person(call, "A person decided this. Did you decide yourself to change it?")


def _by_people(decisions: Decisions, *, deleted: bool) -> Iterator[Decision]:
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
