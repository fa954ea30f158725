"""Quote stored text in a prompt so that it stays data, and read it back.

An item begins a line: its citation and notes in brackets, then the text. Further lines of the text
are quoted below it. So no line of a prompt begins with stored text, which could be a heading, a
role, a fence or another item. Characters that could open or close a tag, that are invisible, or
that change the reading direction are written as character references. A model can read these, and
so can `unescaped`.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from erstwhile.core.text import MEMORY_CLOSING, MEMORY_OPENING

_REFERENCE = r"(?:lt|amp|#x(?:10|[0-9A-F])?[0-9A-F]{1,4});"
_HIDDEN = (
    r"\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters, without tab and line feed
    r"\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e"
    r"\u2060-\u206f\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff"
)
"""Invisible characters, without the joiners that scripts and emoji need."""
_JOINERS = r"\u200c\u200d\ufe0f"
_ANGLES = r"<\uff1c\ufe64"
"""The sign that opens a tag, and its forms that a model may read as the same."""
_LIKE_ANGLES = r"\u02c2\u1438\u2039\u2329\u276e\u2770\u27e8\u3008"
"""Signs that look like it. They are common in prose, so only a closing tag is doubtful."""
_SLASHES = r"/|\u2044\u2215\u29f8\uff0f\uff5c"
"""Signs that begin a closing tag or a special token such as <|im_start|>, in all their forms."""
_TAG = rf"A-Za-z!?{_SLASHES}\uff01\uff1f\uff21-\uff3a\uff41-\uff5a"
_GAP = rf"[\s\xad\u034f\u061c{_JOINERS}{_HIDDEN}]*+"
_CONTROL = (
    r"/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT|THINK|gMASK)\]"
)
_UNSAFE = re.compile(  # a character class first: most texts have no match and pass quickly
    rf"[&{_ANGLES}{_LIKE_ANGLES}\[{_JOINERS}{_HIDDEN}](?:"
    rf"(?<![&{_ANGLES}{_LIKE_ANGLES}\[{_JOINERS}])"
    rf"|(?<=&)(?={_REFERENCE})"  # text that looks like a character reference
    rf"|(?<=[{_ANGLES}])(?=[{_TAG}])"  # tags and special tokens
    rf"|(?<=[{_ANGLES}{_LIKE_ANGLES}])(?={_GAP}(?:[{_SLASHES}]|(?i:erstwhile)))"
    rf"|(?<=\[)(?={_CONTROL})"
    # joiners that join nothing: after ASCII, after each other, or at the beginning
    r"|(?<=[\x00-\x7f\u200c\u200d][\u200c\u200d])|(?<=[^0-9#*\u0080-\U0010ffff]\ufe0f)"
    rf"|(?<=[{_JOINERS}]\ufe0f)|(?<=\A[{_JOINERS}]))"
)
_NAME = rf"{_GAP.join('erstwhile')}[\W_]*{_GAP.join('memory')}"
_WRITTEN = re.compile(rf"&{_REFERENCE}")
_REFERENCES = {"<": "&lt;", "&": "&amp;"}
_CHARACTERS = {written: character for character, written in _REFERENCES.items()}
_NEXT_LINE = "> "
_FENCED = re.compile(
    rf"^{re.escape(MEMORY_OPENING)}\n(.*?)^{re.escape(MEMORY_CLOSING)}$", re.DOTALL | re.M
)
_ITEM = re.compile(r"^\[([0-9]++)[^\]\n]*+\] (.*(?:\n> .*)*)$", re.M)


class Quoted(NamedTuple):
    """An item of a context."""

    citation: str
    text: str


def quoted(mark: str, text: str) -> str:
    """Return the lines of an item, with a final line feed; the mark must not have a bracket."""
    lines = escaped(text).replace("\n", f"\n{_NEXT_LINE}")
    return f"[{mark}] {lines}\n"


def escaped(text: str) -> str:
    """Replace characters that could act as markup with character references."""
    return _UNSAFE.sub(_reference, text)


def without_marks(text: str) -> str:
    """Replace only what could be a marker of memory; other markup stays as it is."""
    return _marks().sub(_reference, text)


def unescaped(text: str) -> str:
    """Replace character references with their characters."""
    return _WRITTEN.sub(
        lambda found: _CHARACTERS.get(found[0]) or chr(int(found[0][3:-1], 16)), text
    )


def parse(text: str) -> list[Quoted]:
    """Return the items of a context in order, each with its text exactly as it was quoted."""
    return [
        Quoted(item[1], unescaped(item[2].replace(f"\n{_NEXT_LINE}", "\n")))
        for fenced in _FENCED.finditer(text)
        for item in _ITEM.finditer(fenced[1])
    ]


@cache
def _marks() -> re.Pattern[str]:
    """Return the beginning of a marker of memory, in all forms that a model may read as one."""
    return re.compile(rf"[{_ANGLES}{_LIKE_ANGLES}](?={_GAP}[{_SLASHES}]?{_GAP}(?i:{_NAME}))")


def _reference(found: re.Match[str]) -> str:
    return _REFERENCES.get(found[0], f"&#x{ord(found[0]):X};")
