"""Patterns kept as data: a TOML file of rules, each compiled when a text first calls for it.

A rule names words (`hints`) of which one is in every text that it matches. Looking for those is
quick, so that few patterns are tried on an ordinary text. What repeats in a pattern is bounded, so
that no text makes one slow.

In a pattern a space stands for any space, and with `?` after it also for none; ` ~ ` for up to six
words of the same sentence, `…` for up to twenty characters of it. Its lines are for the eye only.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from erstwhile.learning.guard.folding import undisguised, without_accents
from erstwhile.learning.verdict import Action, Verdict


class Pattern(NamedTuple):
    """A rule of one family in one language."""

    family: str
    action: Action
    reason: str
    hints: tuple[str, ...]
    source: str

    def matches(self, plain: str) -> bool:
        """Whether a text that wears no disguise is of this kind."""
        return any(hint in plain for hint in self.hints) and self.search(plain)

    def search(self, plain: str) -> bool:
        """Without the quick look first."""
        return _compiled(self.source).search(plain) is not None


def verdicts(name: str, text: str) -> Iterator[Verdict]:
    """One verdict for each family of the file `name` that finds something in the text."""
    plain, told = undisguised(text), set[str]()
    for pattern in patterns_of(name):
        if pattern.family not in told and pattern.matches(plain):
            told.add(pattern.family)
            rule = f"{name}/{pattern.family}"
            yield Verdict(action=pattern.action, text=text, reason=pattern.reason, rule=rule)


@cache
def patterns_of(name: str) -> tuple[Pattern, ...]:
    """A family has an action, a reason and, by language, hints and a pattern."""
    families = tomllib.loads((Path(__file__).parent / f"{name}.toml").read_text("utf-8"))
    return tuple(
        Pattern(family, Action(said["action"]), said["reason"], *_looked_for(rule))
        for family, said in families.items()
        for rule in said["rules"]
    )


def _looked_for(rule: dict[str, Any]) -> tuple[tuple[str, ...], str]:
    """Accents are taken off here too, since they are off the text that is looked at."""
    return tuple(map(undisguised, rule["hints"])), without_accents(rule["pattern"])


@cache
def _compiled(source: str) -> re.Pattern[str]:
    whole = "".join(source.splitlines())
    for short, meant in _SHORT:
        whole = whole.replace(short, meant)
    return re.compile(whole)


_SHORT = (
    (" ~ ", " ~"),
    (" ~", r"(?:[^\w.!?。]{1,4}[\w'’]{1,30}){0,6}?\W{1,4}"),
    (" ?", r"\s{0,4}"),
    (" ", r"\s{1,4}"),
    ("…", r"[^\n。！？!?]{0,20}?"),
)
