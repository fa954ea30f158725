"""The rules of the guard, from files such as `injection.toml`. Each has an action and a reason."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from erstwhile.learning.candidate import Action, Verdict
from erstwhile.learning.guard.folding import undisguised, without_accents
from erstwhile.rule_files import TextRule, read_rules


@dataclass(frozen=True, kw_only=True)
class GuardRule(TextRule):
    """A pattern for one kind of text, perhaps in one language. Several rules may share a name."""

    action: Action
    reason: str

    def matches(self, text: str) -> bool:
        """Return whether the rule matches; without one of its hints it cannot."""
        return (not self.hints or any(hint in text for hint in self.hints)) and bool(
            self.regex.search(text)
        )


def verdicts(file: str, text: str, searched: str) -> Iterator[Verdict]:
    """Yield one verdict for each rule name of the file that matches the searched form of a text."""
    found = set[str]()
    for rule in guard_rules(file):
        if rule.name not in found and rule.matches(searched):
            found.add(rule.name)
            name = f"{file}/{rule.name}"
            yield Verdict(action=rule.action, text=text, reason=rule.reason, rule=name)


def verdicts_on_prose(file: str, text: str) -> Iterator[Verdict]:
    """Yield the verdicts on a text without case, accents and disguises."""
    return verdicts(file, text, undisguised(text))


@cache
def guard_rules(file: str) -> tuple[GuardRule, ...]:
    """Return the rules of a file without accents, like the texts that they search."""
    return read_rules(Path(__file__).with_name(f"{file}.toml")).rules_as(
        GuardRule, action=Action, hints=_plain_hints, pattern=without_accents
    )


def _plain_hints(hints: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(map(undisguised, hints))
