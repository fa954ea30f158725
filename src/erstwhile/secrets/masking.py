"""Mask the secrets in every text before it is stored, searched or embedded.

The rules are in `issued.toml` by issuer, and in `named.toml` by the words before a secret.

The mask names the kind of secret and is always the same, so that equal texts stay equal.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial
from itertools import chain, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from erstwhile.rule_files import RuleFile, read_rules
from erstwhile.secrets import values
from erstwhile.secrets.encoded import BASE64, SHORTEST_CODE, decode_base64
from erstwhile.secrets.searched_text import SearchedText, SecretRule
from erstwhile.secrets.values import secret_words

if TYPE_CHECKING:
    from erstwhile.secrets.trigrams import WordGroups

_Class = TypeVar("_Class")
_ISSUED = Path(__file__).with_name("issued.toml")
_MASK = "[masked:"
_LONG_TEXT = 2_000
"""From this length on it is faster to rule out many hints at once."""
_INVISIBLE = re.compile("[\u00ad\u034f\u200b-\u200f\u2060-\u2064\ufe00-\ufe0f\ufeff]")
_BREAKS = re.compile(rf"(?<=[!-~])(?:{_INVISIBLE.pattern}{{1,64}}|(?<=\w)\\\r?\n)(?=[!-~])")
"""Invisible characters inside a key, and a line break after a backslash."""
_WORD = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z0-9]+(?![a-z])")


@cache
def secret_rules() -> tuple[SecretRule, ...]:
    """Return the rules in the order in which they are tried: more specific rules first."""
    return tuple(rule for path in (_ISSUED, values.NAMED) for rule in _rules(read_rules(path)))


def _rules(file: RuleFile) -> tuple[SecretRule, ...]:
    def part(name: str) -> str:
        return file.parts[name.strip("{}")]

    return file.rules_as(SecretRule, check=partial(getattr, values), core=part, opening=part)


@cache
def _password_words() -> re.Pattern[str]:
    """Return a pattern for the words that mean "password", in many languages."""
    return re.compile(read_rules(values.NAMED).parts["password"])


def mask_text(text: str) -> str:
    """Return the text with every secret in it masked.

    Invisible characters do not hide a secret; they are masked with it.
    """
    masked = _masked(text)
    if _has_breaks(text):
        joined = _masked(_BREAKS.sub("", text))
        if joined != _BREAKS.sub("", masked):
            return joined
    return masked


def _has_breaks(text: str) -> bool:
    # Most texts have neither a backslash at the end of a line nor an invisible character, and to
    # see that is ten times as fast as to search for the whole pattern.
    if "\\\n" in text or "\\\r\n" in text or (not text.isascii() and _INVISIBLE.search(text)):
        return _BREAKS.search(text) is not None
    return False


@cache
def _places_by_hint(*, spaced: bool, ascii_only: bool) -> tuple[tuple[str, frozenset[int]], ...]:
    """Return each hint with the places of its rules in `secret_rules`."""
    places = defaultdict[str, set[int]](set)
    for place, rule in enumerate(secret_rules()):
        for hint in rule.hints if rule.spaced is spaced else ():
            if hint.isascii() or not ascii_only:
                places[hint].add(place)
    return tuple((hint, frozenset(found)) for hint, found in places.items())


@cache
def _all_hints(*, ascii_only: bool) -> WordGroups:
    # Imported here: a program that masks only short texts does not need numpy.
    from erstwhile.secrets.trigrams import WordGroups

    hints = (_places_by_hint(spaced=spaced, ascii_only=ascii_only) for spaced in (True, False))
    return WordGroups([hint for hint, _ in chain.from_iterable(hints)])


def _masked(text: str) -> str:
    searched = SearchedText(text)
    for place in sorted(_places(searched)):
        searched = _masked_by(secret_rules()[place], searched)
    return _with_replaced(searched.text, _codes(searched), _masked_code)


def _codes(searched: SearchedText) -> Iterator[re.Match[str]]:
    for start, end in searched.long_words:
        if end - start >= SHORTEST_CODE:
            yield from BASE64.finditer(searched.text, start, end)


def _masked_code(found: re.Match[str]) -> str:
    searched = SearchedText(decode_base64(found[0]))
    rules = (secret_rules()[place] for place in _places(searched))
    hidden = any(_masked_by(rule, searched) is not searched for rule in rules)
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


def masked_repr(kind: type[_Class]) -> type[_Class]:
    """Let the `repr` of a class repeat no secret. Callers make such objects from raw input."""
    plain = kind.__repr__
    kind.__repr__ = lambda self: mask_text(plain(self))  # type: ignore[method-assign]
    return kind


def _places(searched: SearchedText) -> set[int]:
    """Return the places of the rules whose hints are in the text."""
    ascii_only, found = searched.folded.isascii(), set[int]()
    if len(searched.text) >= _LONG_TEXT:
        searched.rule_out(_all_hints(ascii_only=ascii_only))
    for hint, places in _places_by_hint(spaced=True, ascii_only=ascii_only):
        if searched.contains(hint):
            found |= places
    if searched.long_words:
        joined = "\n".join(searched.folded[start:end] for start, end in searched.long_words)
        in_words = _places_by_hint(spaced=False, ascii_only=ascii_only)
        possible = (each for each in in_words if not searched.lacks(each[0]))
        found = found.union(*(places for hint, places in possible if hint in joined))
    return found


def _masked_by(rule: SecretRule, searched: SearchedText) -> SearchedText:
    """Return the text with the matches of a rule masked; the same object if there are none."""

    def masked(found: re.Match[str]) -> str:
        group = "secret" if "secret" in found.re.groupindex else 0
        if _MASK in found[group] or not rule.check(found[group]):
            return found[0]
        start, end = found.start(group) - found.start(), found.end(group) - found.start()
        return f"{found[0][:start]}{_mask(rule.name)}{found[0][end:]}"

    text = _with_replaced(searched.text, searched.matches(rule), masked)
    return searched if text == searched.text else SearchedText(text)


def _with_replaced(
    text: str, matches: Iterable[re.Match[str]], replaced: Callable[[re.Match[str]], str]
) -> str:
    pieces, end = list[str](), 0
    for found in matches:
        pieces += (text[end : found.start()], replaced(found))
        end = found.end()
    return "".join([*pieces, text[end:]]) if pieces else text


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
