"""Find the secrets in the columns of tables: CSV with any separator, and Markdown.

A table begins with a line of short names, of which one names a secret. Each line below it with as
many cells is a row of the table.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias

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
