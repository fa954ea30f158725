"""Whom the command line believes to be a person: itself a decision of a person, in the memory.

Neither the environment nor a file that it names can change it: an agent sets the environment of its
commands. The decision lies in the shared scope, under a tool that nobody calls.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import TYPE_CHECKING

from erstwhile.core.errors import InvalidInputError
from erstwhile.core.page import MAX_LIMIT
from erstwhile.core.scope import SHARED
from erstwhile.decisions.decision import Choice, Decider, Decision

if TYPE_CHECKING:  # imported for type checking only: `erstwhile --help` must stay fast
    from erstwhile.decisions.collection import Decisions

TERMINAL, NOBODY = "terminal", "nobody"
_TOOL = "erstwhile people"
_NAMES = re.compile(r"[^\s,]+(?:\s*,\s*[^\s,]+)*")


def parse_people(text: str) -> Collection[str] | None:
    """Return the accounts of the system that are people; None for everybody at a terminal."""
    if not isinstance(text, str) or not _NAMES.fullmatch(text.strip()):
        raise InvalidInputError(
            f"people cannot be {text!r}",
            remedy=f"use {TERMINAL}, {NOBODY}, or names of accounts with commas between them",
        )
    names = frozenset(name.strip() for name in text.split(","))
    if len(names) > 1 and names & {TERMINAL, NOBODY}:
        raise InvalidInputError(
            f"people is unclear: {text!r}", remedy=f"name accounts, or {TERMINAL}, or {NOBODY}"
        )
    return None if names == {TERMINAL} else names - {NOBODY}


def named_people(decisions: Decisions) -> str:
    """Return who is a person, by the last word of one.

    A word that came with a file counts only as long as there is no other: it widens nothing, since
    without any word everybody at a terminal is a person.
    """
    page = decisions.list(tool=_TOOL, decided_by=Decider.PERSON, limit=MAX_LIMIT)
    words = [each for each in page if each.scope == SHARED and isinstance(each.input, str)]
    vouched = [each for each in words if each.vouched]
    return next((str(each.input) for each in vouched or words), TERMINAL)


def name_people(decisions: Decisions, text: str) -> Decision:
    """Record who is a person from now on. The caller made sure that a person says so."""
    parse_people(text)
    return decisions.record(
        Decision(goal=_TOOL, tool=_TOOL, input=text.strip(), choice=Choice.ALLOW)
    )
