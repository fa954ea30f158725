"""Read the rows of single pages of a SQLite file, as https://sqlite.org/fileformat.html says.

SQLite itself finds a page only from the page above it. So this reads what is left below a damaged
page. What cannot be read is left out: it may be noise.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any, NamedTuple

_NONSENSE = (LookupError, ValueError, struct.error)
_INTEGERS = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}
"""The length in bytes of each kind of integer."""
_FIRST_BLOB = 12
_MAX_LENGTH = 1 << 30


_INDEX_INNER, _TABLE_INNER, _INDEX_LEAF, _TABLE_LEAF = 2, 5, 10, 13
"""The first byte of a page. Pages with another one hold no rows."""
_INNER, _TABLE = (_INDEX_INNER, _TABLE_INNER), (_TABLE_INNER, _TABLE_LEAF)


class RawRow(NamedTuple):
    """The values of a row as they are stored, and its number if the table numbers its rows."""

    values: tuple[Any, ...]
    number: int | None


@dataclass(frozen=True, slots=True)
class RawPages:
    """All pages of a file; a page is as long as `size`, with `used` bytes that hold data."""

    content: bytes | bytearray | mmap
    size: int
    used: int

    @property
    def count(self) -> int:
        return len(self.content) // self.size

    def tree(self, root: int) -> Iterator[int]:
        """Yield the numbers of the pages that can be reached from a page."""
        kind, waiting, seen = self.kind(root), [root], set[int]()
        while kind is not None and waiting:
            number = waiting.pop()
            found = self.kind(number)
            if number in seen or found is None or (found in _TABLE) != (kind in _TABLE):
                continue
            seen.add(number)
            yield number
            if found in _INNER:
                waiting.extend(self._children(number))

    def is_whole(self, root: int) -> bool:
        """Return whether every page below a page can be reached."""
        found = set(self.tree(root))
        inner = [number for number in found if self.kind(number) in _INNER]
        return root in found and all(
            child in found for number in inner for child in self._children(number)
        )

    def kind(self, number: int) -> int | None:
        if not 1 <= number <= self.count:
            return None
        first = self.content[self._start(number)]
        return first if first in (*_INNER, _INDEX_LEAF, _TABLE_LEAF) else None

    def rows(self, number: int) -> Iterator[RawRow]:
        """Yield the rows of a page that make sense."""
        kind = self.kind(number)
        if kind is None or kind == _TABLE_INNER:
            return
        for place in self._cells(number, kind):
            with suppress(*_NONSENSE):
                length, start = _varint(self.content, place + (4 if kind in _INNER else 0))
                row_number = None
                if kind in _TABLE:
                    row_number, start = _varint(self.content, start)
                yield RawRow(_values(self._payload(start, length, kind)), row_number)

    def _start(self, number: int) -> int:
        """Return where a page begins: the first one has the header of the file before it."""
        return (number - 1) * self.size + (100 if number == 1 else 0)

    def _cells(self, number: int, kind: int) -> Iterator[int]:
        start, page = self._start(number), (number - 1) * self.size
        first = start + (12 if kind in _INNER else 8)
        count = min(self._number(start + 3, 2), (page + self.size - first) // 2)
        for place in range(first, first + 2 * count, 2):
            yield page + min(self._number(place, 2), self.size - 1)

    def _children(self, number: int) -> Iterator[int]:
        yield self._number(self._start(number) + 8, 4)
        for place in self._cells(number, _TABLE_INNER):
            yield self._number(place, 4)

    def _payload(self, place: int, length: int, kind: int) -> bytes:
        """Return the bytes of a row; a long one continues on other pages."""
        if not 0 <= length <= _MAX_LENGTH:
            raise ValueError("longer than a row can be")
        here = self._length_here(length, kind)
        content, place = bytes(self.content[place : place + here]), place + here
        parts, missing, seen = [content], length - here, set[int]()
        following = self._number(place, 4) if missing else 0
        while missing > 0:
            if following in seen or not 1 <= following <= self.count:
                raise ValueError("the rest is missing")
            seen.add(following)
            start = (following - 1) * self.size
            parts.append(bytes(self.content[start + 4 : start + 4 + min(missing, self.used - 4)]))
            missing -= self.used - 4
            following = self._number(start, 4)
        return b"".join(parts)

    def _length_here(self, length: int, kind: int) -> int:
        """Return how many bytes of a row are on its own page."""
        least = (self.used - 12) * 32 // 255 - 23
        most = self.used - 35 if kind in _TABLE else (self.used - 12) * 64 // 255 - 23
        if length <= most:
            return length
        rest = least + (length - least) % (self.used - 4)
        return rest if rest <= most else least

    def _number(self, place: int, length: int) -> int:
        return int.from_bytes(self.content[place : place + length], "big")


def pages_of(file: Path, size: int) -> RawPages:
    with file.open("rb") as opened:
        empty = not file.stat().st_size  # which cannot be mapped
        content = b"" if empty else mmap(opened.fileno(), 0, access=ACCESS_READ)
    return RawPages(content, size, size)


def _values(payload: bytes) -> tuple[Any, ...]:
    end, place = _varint(payload, 0)
    start, values = end, []
    while place < end:
        form, place = _varint(payload, place)
        value, start = _value(payload, form, start)
        values.append(value)
    if place != end or start != len(payload):
        raise ValueError("not the form of a row")
    return tuple(values)


def _value(payload: bytes, form: int, start: int) -> tuple[Any, int]:
    if form >= _FIRST_BLOB:
        end = start + (form - _FIRST_BLOB) // 2
        content = payload[start:end]
        return (content.decode() if form % 2 else content), end
    if form in _INTEGERS:
        end = start + _INTEGERS[form]
        return int.from_bytes(payload[start:end], "big", signed=True), end
    if form == 7:
        return struct.unpack(">d", payload[start : start + 8])[0], start + 8
    return {0: None, 8: 0, 9: 1}[form], start


def _varint(content: bytes | bytearray | mmap, place: int) -> tuple[int, int]:
    """Return a number of up to nine bytes, and the place after it."""
    value = 0
    for offset in range(8):
        byte = content[place + offset]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, place + offset + 1
    value = value << 8 | content[place + 8]
    return value - (1 << 64) if value >> 63 else value, place + 9
