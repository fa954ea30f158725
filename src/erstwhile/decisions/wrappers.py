"""Programs that only run another one, such as `sudo` and `env`."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence

from erstwhile.decisions.program_facts import grouped, listed

ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=")


def without_wrappers(words: Sequence[str]) -> Sequence[str]:
    """Return a command without assignments, and without programs that only run it."""
    wrappers, at = grouped("wrappers"), 0
    while at < len(words):
        name = posixpath.basename(words[at])
        if words[at] in listed("before") or ASSIGNMENT.match(words[at]):
            at += 1
        elif name in wrappers and at + 1 < len(words):
            at = _after_options(words, at + 1, wrappers[name]) + (name in listed("operands"))
        else:
            break
    return words[at:]


def _after_options(words: Sequence[str], at: int, valued: frozenset[str]) -> int:
    """Return the place of the first word that is no option, and no value of one."""
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] in valued else 1
    return at
