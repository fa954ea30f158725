"""Secrets out of what is stored, searched and embedded: masked before anything else sees them.

The masked form names the kind of secret and is always the same, so that what was equal stays equal.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from recollect.model.secret_rules import RULES, Rule, compiled

_HINTS = tuple((hint, place) for place, rule in enumerate(RULES) for hint in rule.hints)
_ANYWHERE = tuple((hint, place) for hint, place in _HINTS if RULES[place].spaced)
_IN_A_WORD = tuple((hint, place) for hint, place in _HINTS if not RULES[place].spaced)
_LONG_WORD = re.compile(r"(?<![!-~])[!-~]{15,}")
"""No key that an issuer gives is shorter, and most texts have no such word."""
_WORD = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z0-9]+(?![a-z])")
_TELLING = frozenset((
    "password", "passwd", "passphrase", "passcode", "pwd", "secret", "secrets", "credential",
    "credentials", "authorization", "cookie", "cookies", "apikey", "accesskey", "secretkey",
    "privatekey", "authtoken", "accesstoken",
))  # fmt: skip
"""A key with one of these words names a secret,"""
_LAST = frozenset({"token", "jwt", "auth"})
"""so does one that ends in one of these: `max_tokens` and `token_count` are numbers,"""
_KEYS = ("api", "access", "secret", "private", "signing", "encryption", "auth")
_PAIRS = frozenset((kind, "key") for kind in _KEYS)
"""and so does one with two such words side by side."""


def mask_text(text: str) -> str:
    """The text with every secret in it masked; one without any comes back as it is."""
    for place in sorted(_places(text.lower())):
        text = _masked_by(RULES[place], text)
    return text


def mask_json(value: Any) -> Any:
    """JSON with every secret in its texts masked, and the whole of what a telling key holds."""
    match value:
        case str():
            return mask_text(value)
        case Mapping():
            return {mask_text(key): _mask_field(key, each) for key, each in value.items()}
        case list() | tuple():
            return [mask_json(each) for each in value]
    return value


def _places(folded: str) -> set[int]:
    """The places of the rules that have a chance to match."""
    found = {place for hint, place in _ANYWHERE if hint in folded}
    if words := _LONG_WORD.findall(folded):
        joined = "\n".join(words)
        found |= {place for hint, place in _IN_A_WORD if hint in joined}
    return found


def _masked_by(rule: Rule, text: str) -> str:
    def replaced(found: re.Match[str]) -> str:
        group = "secret" if "secret" in found.re.groupindex else 0
        if not rule.likely(found[group]):
            return found[0]
        start, end = found.start(group) - found.start(), found.end(group) - found.start()
        return f"{found[0][:start]}{_mask(rule.name)}{found[0][end:]}"

    return compiled(rule.pattern).sub(replaced, text)


def _mask_field(key: str, value: Any) -> Any:
    named = _names_a_secret(key)
    if named is None or value is None or isinstance(value, bool) or value in ("", [], {}):
        return mask_json(value)
    return _mask(named)


def _names_a_secret(key: str) -> str | None:
    """What kind of secret a key names, if it does."""
    words: list[str] = [word.lower() for word in _WORD.findall(key)]
    for word in words:
        if word in _TELLING:
            return word
    if words and words[-1] in _LAST:
        return words[-1]
    return next(("-".join(pair) for pair in pairwise(words) if pair in _PAIRS), None)


def _mask(name: str) -> str:
    return f"[masked:{name}]"
