"""Find the secrets in a text by rules, and mask them.

The rules are in `issued.toml` by issuer, and in `named.toml` by the words before a secret. This
module is loaded when the first text is masked. A table (CSV with any separator, or Markdown) begins
with a line of short names, of which one names a secret; the lines below it with as many cells are
its rows.
"""

from __future__ import annotations

import codecs
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any, TypeAlias

from erstwhile.rule_files import RuleFile, read_rules
from erstwhile.secrets import values
from erstwhile.secrets.masking import is_kept
from erstwhile.secrets.searched_text import HintSearch, SearchedText, SecretRule
from erstwhile.secrets.values import decode_base64, secret_words

_ISSUED = Path(__file__).with_name("issued.toml")
_MASK = "[masked:"
_ENCODED = "encoded-secret"
_MAX_ROUNDS = 8
_BETWEEN_CODES = "\n" * 12
"""No rule reaches over so many empty lines."""
_INVISIBLE = "\u00ad\u034f\u200b-\u200f\u2060-\u2064\ufe00-\ufe0f\ufeff"
_WIDE = re.compile("[\uff10-\uff19\uff21-\uff3a\uff41-\uff5a]+")
"""Letters and digits of full width, as Japanese keyboards write them."""
_NARROW = {code: code - 0xFEE0 for code in range(0xFF10, 0xFF5B)}
_BREAKS = re.compile(
    rf"[\\{_INVISIBLE}](?:(?<=\w\\)\r?\n|(?<=[!-~][{_INVISIBLE}])[{_INVISIBLE}]{{0,63}})(?=[!-~])"
)
"""Invisible characters inside a key, and a line break after a backslash."""
_HEX = re.compile("[0-9a-f]+")
"""The form of ids and hashes. No readable text looks like this in base64."""
_WORD = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z0-9]+(?![a-z])")


@cache
def secret_rules() -> tuple[SecretRule, ...]:
    """Return the rules in the order in which they are tried: more specific rules first."""
    return tuple(rule for path in (_ISSUED, values.NAMED) for rule in _rules(read_rules(path)))


def rule_names() -> set[str]:
    """Return the names in all masks, also those of fields of metadata."""
    fields = {*secret_words("key"), *secret_words("key_end")}
    keys = {f"{word}-key" for word in secret_words("before_key")}
    return {rule.name for rule in secret_rules()} | fields | keys | {"password", _ENCODED}


def _rules(file: RuleFile) -> tuple[SecretRule, ...]:
    def part(name: str) -> str:
        return file.parts[name.strip("{}")]

    return file.rules_as(
        SecretRule, check=partial(getattr, values), core=part, prefilter=part, opening=part
    )


@cache
def _password_words() -> re.Pattern[str]:
    """Return a pattern for the words that mean "password", in many languages."""
    return re.compile(read_rules(values.NAMED).parts["password"])


def mask_secrets(text: str) -> str:
    """Return the text with every secret masked; a mask may show where the next secret begins."""
    for _ in range(_MAX_ROUNDS):
        masked = _masked_once(text)
        if masked == text:
            break
        text = masked
    return text


def _masked_once(text: str) -> str:
    masked = _masked(text)
    if _is_disguised(text):
        plain = _masked(_undisguised(text))
        if plain != _undisguised(masked):
            return _masked(_as_it_was(text, plain))
    return masked


def _as_it_was(text: str, plain: str) -> str:
    """Return a masked text with what is before its first and behind its last mask as it was.

    If invisible characters are left out, the places do not agree, and nothing is changed.
    """
    first, last = plain.find(_MASK), plain.rfind(_MASK)
    if first < 0 or len(_undisguised(text)) != len(text):
        return plain
    end = plain.index("]", last) + 1
    return text[:first] + plain[first:end] + text[len(text) - (len(plain) - end) :]


def _is_disguised(text: str) -> bool:
    if text.isascii() and "\\\n" not in text and "\\\r\n" not in text:
        return False
    # Quicker than a pattern; a codec by its name would have to be loaded from a file first.
    wide = b"\xff" in codecs.utf_16_le_encode(text, "surrogatepass")[0]
    return bool(_BREAKS.search(text) or (wide and _WIDE.search(text)))


def _undisguised(text: str) -> str:
    """Return a text without invisible characters, and with ASCII for letters of full width."""
    return _WIDE.sub(lambda found: found[0].translate(_NARROW), _BREAKS.sub("", text))


@cache
def _places_by_hint(*, long_words: bool) -> dict[str, set[int]]:
    """Return the places of the rules of each hint; most rules match only long words."""
    places: dict[str, set[int]] = {}
    for place, rule in enumerate(secret_rules()):
        for hint in rule.hints:
            if rule.spaced or long_words:
                places.setdefault(hint, set()).add(place)
    return places


@cache
def _without_hints() -> frozenset[int]:
    return frozenset(place for place, rule in enumerate(secret_rules()) if not rule.hints)


@cache
def hint_search() -> HintSearch:
    """Return the search for the hints of all rules."""
    hints = {hint for rule in secret_rules() for hint in (*rule.hints, *rule.opening_hints)}
    return HintSearch(hints | {*_column_words()})


def _masked(text: str) -> str:
    searched, spans = SearchedText(text, hint_search()), _Spans(text)
    rules = _looking_rules(searched)
    if "\n" in text and not is_kept("password"):
        named = searched.hint_places(_column_words())
        for start, end in column_secrets(text, named, _names_column, values.is_cell):
            spans.add(start, end, "password")
    for rule in rules:
        for found in searched.matches(rule):
            start, end = found.span(rule.group(found))
            if spans.is_free(start, end) and rule.accepts(found):
                spans.add(start, end, rule.name)
    codes = [] if is_kept(_ENCODED) else searched.codes()
    codes = [code for code in codes if spans.is_free(*code.span())]
    for code in _with_secrets(codes):
        spans.add(*code.span(), _ENCODED)
    return spans.masked()


class _Spans:
    """The parts of a text to mask. None overlaps another, or a mask that is there already."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._found: dict[int, tuple[int, str]] = {}
        self._taken = bytearray(len(text))

    def is_free(self, start: int, end: int) -> bool:
        return self._taken.find(1, start, end) < 0 and self._text.find(_MASK, start, end) < 0

    def add(self, start: int, end: int, name: str) -> None:
        self._taken[start:end] = b"\1" * (end - start)
        self._found[start] = end, name

    def masked(self) -> str:
        """Return the text with the name of the secret in each place."""
        pieces, last = list[str](), 0
        for start, (end, name) in sorted(self._found.items()):
            pieces += (self._text[last:start], _mask(name))
            last = end
        return "".join([*pieces, self._text[last:]]) if pieces else self._text


@cache
def _column_words() -> tuple[str, ...]:
    return tuple(secret_words("column"))


def _names_column(name: str) -> bool:
    folded = " ".join(name.split()).lower()
    return folded in secret_words("pass_columns") or _names_a_secret(name) is not None


def _with_secrets(codes: Iterable[re.Match[str]]) -> list[re.Match[str]]:
    """Return the codes that contain a secret. They are searched as one text."""
    others = (code for code in codes if not _HEX.fullmatch(code[0]))
    read = [(code, plain) for code in others if (plain := decode_base64(code[0]))]
    if not read:
        return []
    ends = [*accumulate(len(plain) + len(_BETWEEN_CODES) for _, plain in read)]
    searched = SearchedText(_BETWEEN_CODES.join(plain for _, plain in read), hint_search())
    rules = _looking_rules(searched)
    found = {
        bisect_right(ends, each.start())
        for rule in rules
        for each in searched.matches(rule)
        if rule.accepts(each)
    }
    return [read[place][0] for place in sorted(found)]


def _looking_rules(searched: SearchedText) -> list[SecretRule]:
    """Return the rules that may find something in a text, in their order."""
    rules = (secret_rules()[place] for place in sorted(_places(searched)))
    return [rule for rule in rules if not is_kept(rule.name)]


def _places(searched: SearchedText) -> set[int]:
    long_words = bool(searched.long_words)
    places = _places_by_hint(long_words=long_words)
    found = _without_hints() if long_words else frozenset[int]()
    return set(found).union(*(places[hint] for hint in places.keys() & searched.hints))


def mask_of_field(key: str, value: Any) -> str | None:
    """Return the mask of a JSON field if its key names a secret."""
    named = _names_a_secret(key)
    if isinstance(value, str) and key.strip().lower() in secret_words("key_of_text"):
        is_one = len(value.split()) == 1 and values.is_mixed_password(value)
        named = "password" if is_one else None
    return None if named is None or is_kept(named) else _mask(named)


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


_SEPARATORS = ("|", "\t", ";", ",")
_CELL = {
    each: re.compile(rf'[ ]?"(?:[^"\n]|"")*+"(?=[{each}]|$)|[^{each}\n]*+') for each in _SEPARATORS
}
_HEAD = re.compile(r"[^:={}<>\[\]\n]{3,400}")
_NAME = re.compile(r"[^\W_](?:[\w .#/-]{0,28}[\w#])?(?: ?\([\w ]{1,20}\))?|")
"""The name of a column, or none; a line of a program has other signs."""
_RULE = re.compile(r"[\s:=+-]*")
"""The line between the names and the rows, and an empty cell."""

Span: TypeAlias = tuple[int, int]


def column_secrets(
    text: str,
    places: Iterable[int],
    names_secret: Callable[[str], bool],
    is_secret: Callable[[str], bool],
) -> Iterator[Span]:
    """Yield where the secrets in columns are. At the `places` are words that name secrets.

    `names_secret` decides about the name of a column, `is_secret` about a cell.
    """
    end = 0
    for place in sorted(places):
        if place < end:
            continue
        start, end = text.rfind("\n", 0, place) + 1, _line_end(text, place)
        if not _HEAD.fullmatch(text, start, end):
            continue
        separator = next((each for each in _SEPARATORS if each in text[start:end]), None)
        if separator is None:
            continue
        cells = _cells(text, (start, end), separator)
        names = [text[slice(*_stripped(text, cell))] for cell in cells]
        if columns := _columns(names, names_secret):
            for row in _rows(text, end, separator, len(names)):
                end = row[-1][1]
                found = (_stripped(text, row[column]) for column in columns)
                yield from (span for span in found if is_secret(text[slice(*span)]))


def _line_end(text: str, place: int) -> int:
    end = text.find("\n", place)
    return len(text) if end < 0 else end


def _columns(names: Sequence[str], names_secret: Callable[[str], bool]) -> list[int]:
    """Return the places of the columns with secrets; none if these are not names of columns."""
    if sum(map(bool, names)) < 2 or not all(map(_NAME.fullmatch, names)):
        return []
    return [place for place, name in enumerate(names) if name and names_secret(name)]


def _rows(text: str, end: int, separator: str, width: int) -> Iterator[list[Span]]:
    """Yield the cells of each row below a head, while they are as many."""
    while end < len(text):
        start, end = end + 1, _line_end(text, end + 1)
        if text.count(separator, start, end) < width - 1:
            return
        cells = list(_cells(text, (start, end), separator))
        if len(cells) != width:
            return
        if not all(_RULE.fullmatch(text, *cell) for cell in cells):
            yield cells


def _cells(text: str, line: Span, separator: str) -> Iterator[Span]:
    start, stop = line
    while start <= stop:
        found = _CELL[separator].match(text, start, stop)
        end = found.end() if found else stop
        yield start, end
        start = end + 1


def _stripped(text: str, span: Span) -> Span:
    """Return the place of a cell without its spaces and quotes."""
    cell = text[slice(*span)]
    value = cell.strip(" \t\r\"'`*")
    start = span[0] + cell.index(value)
    return start, start + len(value)
