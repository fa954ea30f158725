"""The setting `people`: whom the command line believes to be a person."""

from __future__ import annotations

import re
from collections.abc import Collection

from erstwhile.core.errors import InvalidInputError

TERMINAL, NOBODY = "terminal", "nobody"
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
