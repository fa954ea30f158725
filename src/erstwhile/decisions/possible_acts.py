"""Whether a call may be a denied act when it runs: a part of it is computed, or another program.

`dropdb $DB` may be `dropdb ledger`, `echo publish | xargs npm` may be `npm publish`, and a program
that nobody knows may run the words after it. That is never a reason to deny, and one to ask.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Sequence

from erstwhile.decisions.shell_acts import Script, ShellAct, act_of

_COMPUTED = re.compile(
    r"\$\(.* | \$\{[^}]*\}? | \$[\w@*\#?!-]+ | [*?]+ | \[[^\]]*\]? | \{[^{}]*\}",
    re.VERBOSE | re.DOTALL,
)
_MOST_TAILS = 20
"""How many tails of a call are read; a longer list is taken for a denied act."""


def may_contain(asked: Script, denied: Script) -> bool:
    """Return whether every act of a denied script may be in the asked one."""
    return bool(denied.acts) and all(_may_be_in(act, asked) for act in denied.acts)


def _may_be_in(denied: ShellAct, asked: Script) -> bool:
    if any(_may_be(denied, reading) for act in asked.acts for reading in act.readings):
        return True
    return any(_may_be_run(denied, call) for call in asked.calls)


def _may_be_run(denied: ShellAct, call: Sequence[str]) -> bool:
    """Return whether the last words of a call are a denied act."""
    places = [
        at for at, word in enumerate(call) if at and posixpath.basename(word) == denied.program
    ]
    if len(places) > _MOST_TAILS:
        return True
    tails = (act_of(call[at:]) for at in places)
    return any(
        denied.is_in(reading) or _may_be(denied, reading)
        for tail in tails
        for reading in tail.readings
    )


def _may_be(denied: ShellAct, asked: ShellAct) -> bool:
    """Return whether an act with computed parts may do what was denied."""
    named, there = denied.targets | denied.unsure, asked.targets | asked.unsure
    anything = asked.fed or any(_is_anything(word) for word in (*asked.words, *there))
    short = len(asked.words) < len(denied.words)
    if not _fits(asked.program, denied.program) or (asked.trial and not denied.trial):
        return False
    if not all(map(_fits, asked.words, denied.words)) or (short and not anything):
        return False
    if anything:
        return True
    computed = [word for word in (*asked.words, *there) if _COMPUTED.search(word)]
    if not computed and not any(map(_COMPUTED.search, named)):
        return False
    options = denied.options <= asked.options and denied.values <= asked.values
    return options and all(_is_possible(target, there, computed) for target in named)


def _is_possible(target: str, there: Iterable[str], computed: Iterable[str]) -> bool:
    both_ways = any(_fits(each, target) for each in computed)
    return target in there or both_ways or any(_fits(target, each) for each in there)


def _is_anything(word: str) -> bool:
    """Return whether a word may become any words."""
    return bool(_COMPUTED.fullmatch(word)) and word[0] in "${"


def _fits(computed: str, text: str) -> bool:
    """Return whether a word may become this text: its fixed parts are there, in their order."""
    first, *rest = _COMPUTED.split(computed)
    if not rest:
        return computed == text
    last, at = rest.pop(), len(first)
    for part in rest:
        found = text.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    return text.startswith(first) and text.endswith(last) and at + len(last) <= len(text)
