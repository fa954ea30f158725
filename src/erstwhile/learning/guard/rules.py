"""The rules of the guard from files such as `injection.toml`, and the check of links and codes.

Each rule has an action and a reason. Links and encoded texts may load or run something when a
program shows or obeys them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from urllib.parse import unquote

from erstwhile.core.policy import Policy
from erstwhile.learning.candidate import Action, Verdict
from erstwhile.learning.guard.characters import undisguised, without_accents
from erstwhile.rule_files import TextRule, read_rules
from erstwhile.secrets.encoded import BASE64, decode_base64, decode_bytes
from erstwhile.secrets.masking import mask_text

_HEX = re.compile(r"(?<![0-9A-Za-z])(?:0x)?(?:[0-9A-Fa-f]{2}){20,}+(?![0-9A-Za-z])")
_PERCENT = re.compile(r"[^\s%/?&=]{0,20}(?:%[0-9A-Fa-f]{2}[^%\s/?&=]{0,20}+){6,}+")
_SENTENCE = 6
_BLOB = 200
"""The length of an encoded text that may contain a whole message."""


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


def check_links(text: str, _policy: Policy) -> Iterator[Verdict]:
    yield from verdicts("links", text, text)
    yield from _encoded(text)


def _encoded(text: str) -> Iterator[Verdict]:
    """Refuse orders to a model in encoded parts; hold encoded sentences, secrets and long parts."""
    read = [*filter(None, _decoded(text))]
    spelt = (unquote(found[0]) for found in _PERCENT.finditer(text))  # spaces in an address
    if any(next(verdicts_on_prose("injection", each), None) for each in (*read, *spelt)):
        reason = "it has instructions for a model in encoded text"
        yield Verdict(action=Action.REFUSE, text=text, reason=reason, rule="links/coded")
    elif any(len(each.split()) >= _SENTENCE or mask_text(each) != each for each in read):
        reason = "it has a sentence or a secret in encoded text"
        yield Verdict(action=Action.HOLD, text=text, reason=reason, rule="links/coded")
    elif any(len(found[0]) >= _BLOB and _is_blob(found[0]) for found in BASE64.finditer(text)):
        reason = "it has a long encoded text that cannot be decoded"
        yield Verdict(action=Action.HOLD, text=text, reason=reason, rule="links/blob")


def _decoded(text: str) -> Iterator[str]:
    """Yield each encoded part of the text decoded; empty if it is not readable."""
    for found in BASE64.finditer(text):
        yield decode_base64(found[0])
    for found in _HEX.finditer(text):
        yield decode_bytes(bytes.fromhex(found[0].removeprefix("0x")))


def _is_blob(code: str) -> bool:
    """Return whether a text is a long blob of mixed letters and digits, not a hash or a path."""
    pieces = re.split(r"[/_-]", code)
    mixed = any(each.islower() for each in code) and any(each.isupper() for each in code)
    return (
        mixed and any(each.isdigit() for each in code) and len(max(pieces, key=len)) >= _BLOB // 8
    )
