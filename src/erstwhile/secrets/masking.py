"""Mask the secrets in every text before it is stored, searched or embedded.

The rules are in `issued.toml` by issuer, and in `named.toml` by the words before a secret.

The mask names the kind of secret and is always the same, so that equal texts stay equal.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, partial
from itertools import pairwise
from pathlib import Path
from typing import Any

from erstwhile.rule_files import TextRule, read_rules
from erstwhile.secrets import values
from erstwhile.secrets.encoded import BASE64, decode_base64
from erstwhile.secrets.values import secret_words

_ISSUED = Path(__file__).with_name("issued.toml")
_MASK = "[masked:"
_LONG_WORD = re.compile(r"(?<![!-~])[!-~]{15,}")
"""A word that is long enough to be an issued key. Most texts contain no such word."""
_BREAKS = re.compile(
    r"(?<=[!-~])(?:[\u00ad\u034f\u200b-\u200f\u2060-\u2064\ufe00-\ufe0f\ufeff]{1,64}|(?<=\w)\\\r?\n)"
    r"(?=[!-~])"
)
"""Invisible characters inside a key, and a line break after a backslash."""
_WORD = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z0-9]+(?![a-z])")


@dataclass(frozen=True, kw_only=True)
class SecretRule(TextRule):
    """A rule for one kind of secret. It masks the group `secret`, or without it the whole match."""

    spaced: bool = False
    """Whether a match may contain spaces. If not, the match and its hints are single words."""

    @property
    def flags(self) -> re.RegexFlag:
        """The flags of the pattern. Keys are ASCII; in Chinese, text may follow without a space."""
        return re.NOFLAG if self.spaced else re.ASCII


@cache
def secret_rules() -> tuple[SecretRule, ...]:
    """Return the rules in the order in which they are tried: more specific rules first."""
    check = partial(getattr, values)
    files = (read_rules(_ISSUED), read_rules(values.NAMED))
    return tuple(rule for file in files for rule in file.rules_as(SecretRule, check=check))


@cache
def _password_words() -> re.Pattern[str]:
    """Return a pattern for the words that mean "password", in many languages."""
    return re.compile(read_rules(values.NAMED).parts["password"])


def mask_text(text: str) -> str:
    """Return the text with every secret in it masked.

    Invisible characters do not hide a secret; they are masked with it.
    """
    masked = _masked(text)
    if _BREAKS.search(text):
        joined = _masked(_BREAKS.sub("", text))
        if joined != _BREAKS.sub("", masked):
            return joined
    return masked


@cache
def _places_by_hint(*, spaced: bool, ascii_only: bool) -> tuple[tuple[str, frozenset[int]], ...]:
    """Return each hint with the places of its rules in `secret_rules`."""
    places = defaultdict[str, set[int]](set)
    for place, rule in enumerate(secret_rules()):
        for hint in rule.hints if rule.spaced is spaced else ():
            if hint.isascii() or not ascii_only:
                places[hint].add(place)
    return tuple((hint, frozenset(found)) for hint, found in places.items())


def _masked(text: str) -> str:
    for place in sorted(_places(text.lower())):
        text = _masked_by(secret_rules()[place], text)
    return BASE64.sub(_masked_code, text)


def _masked_code(found: re.Match[str]) -> str:
    text = decode_base64(found[0])
    hidden = any(_masked_by(secret_rules()[place], text) != text for place in _places(text.lower()))
    return _mask("encoded-secret") if hidden else found[0]


def mask_json(value: Any) -> Any:
    """Return JSON with masked secrets; a value under a key that names a secret is masked too."""
    match value:
        case str():
            return mask_text(value)
        case Mapping():
            return {mask_text(key): _mask_field(key, each) for key, each in value.items()}
        case list() | tuple():
            return [mask_json(each) for each in value]
    return value


def _places(folded: str) -> set[int]:
    """Return the places of the rules whose hints are in the text."""
    found = set[int]()
    for hint, places in _places_by_hint(spaced=True, ascii_only=folded.isascii()):
        if hint in folded:
            found |= places
    if words := _LONG_WORD.findall(folded):
        joined, in_words = "\n".join(words), _places_by_hint(spaced=False, ascii_only=False)
        found = found.union(*(places for hint, places in in_words if hint in joined))
    return found


def _masked_by(rule: SecretRule, text: str) -> str:
    def replaced(found: re.Match[str]) -> str:
        group = "secret" if "secret" in found.re.groupindex else 0
        if _MASK in found[group] or not rule.check(found[group]):
            return found[0]
        start, end = found.start(group) - found.start(), found.end(group) - found.start()
        return f"{found[0][:start]}{_mask(rule.name)}{found[0][end:]}"

    return rule.regex.sub(replaced, text)


def _mask_field(key: str, value: Any) -> Any:
    named = _names_a_secret(key)
    if named is None or value is None or isinstance(value, bool) or value in ("", [], {}):
        return mask_json(value)
    return _mask(named)


def _names_a_secret(key: str) -> str | None:
    """Return the kind of secret that a key names; None if it names none."""
    if _password_words().fullmatch(key.strip()):
        return "password"
    words: list[str] = [word.lower() for word in _WORD.findall(key)]
    for word in words:
        if word in secret_words("key"):
            return word
    if words and words[-1] in secret_words("key_end"):
        return words[-1]
    named = (first for first, last in pairwise(words) if last == "key")
    return next((f"{first}-key" for first in named if first in secret_words("before_key")), None)


def _mask(name: str) -> str:
    return f"{_MASK}{name}]"
