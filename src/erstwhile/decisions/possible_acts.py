"""Whether a call may be a denied act when it runs: a part of it is computed, or another program.

`dropdb $DB` may be `dropdb ledger`, `echo publish | xargs npm` may be `npm publish`, and a program
that nobody knows may run the words after it. That is never a reason to deny, and one to ask.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from erstwhile.decisions.program_facts import listed
from erstwhile.decisions.shell_acts import Script, ShellAct, act_of

_COMPUTED = re.compile(
    r"\$\(.* | \$\{[^}]*\}? | \$[\w@*\#?!-]+ | [*?]+ | \[[^\]]*\]? | \{[^{}]*\}",
    re.VERBOSE | re.DOTALL,
)
_BORDER = re.compile(r"[;&|(){}\[\]\n]+")
_QUOTE = re.compile(r"[\"'`]+")
_INNER_WORD = re.compile(r"[\w./@:+~*$%-]+")
_MOST_TAILS = 20
"""How many tails or inner texts are read; a longer list is taken for a denied act."""


def may_contain(asked: Script, denied: Script) -> bool:
    """Return whether every act of a denied script may be in the asked one."""
    return bool(denied.acts) and all(_may_be_in(act, asked) for act in denied.acts)


def _may_be_in(denied: ShellAct, asked: Script) -> bool:
    if any(_may_be(denied, reading) for act in asked.acts for reading in act.readings):
        return True
    if any(denied.is_in(act) or _may_be(denied, act) for act in asked.moved):
        return True
    inner = {text for call in asked.calls for text in _inner_texts(denied.program, call)}
    if len(inner) > _MOST_TAILS:
        return True
    texts = (["", *_INNER_WORD.findall(text)] for text in inner)
    return any(_is_tail(denied, call) for call in (*asked.calls, *texts))


def _inner_texts(program: str, call: Sequence[str]) -> Iterator[str]:
    """Yield what may be calls of a program inside of words: `script -c 'npm publish'`.

    A word may be a script of the shell, or a program in another language that runs one.
    """
    for before, word in pairwise(["", *call]):
        options = {before, word.partition("=")[0]}
        if program not in word or word == program or options & listed("text_options"):
            continue
        for part in _BORDER.split(word):
            yield from (each for each in (part, *_QUOTE.split(part)) if program in each)


def _is_tail(denied: ShellAct, call: Sequence[str]) -> bool:
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
    if not (denied.options <= asked.options and denied.values <= asked.values):
        return False
    computed = [word for word in (*asked.words, *there) if _COMPUTED.search(word)]
    if computed or any(map(_COMPUTED.search, named)):
        return all(_is_possible(target, there, computed) for target in named)
    if denied.call in listed("own_targets") and there < named:
        return True
    return "r" in asked.options and any(_is_inside(target, there) for target in named)


def _is_inside(target: str, folders: Iterable[str]) -> bool:
    """Return whether a target is in one of the folders, which are changed as a whole."""
    return any(target.startswith(f"{each.rstrip('/')}/") for each in folders) or (
        "." in folders and target[:1] not in "/~" and not target.startswith("..")
    )


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
