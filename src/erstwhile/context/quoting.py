"""Quoting stored text in a prompt so that it stays data, and reading it back.

An item is a bullet: its id and notes of ours in brackets, then the text. Further lines of the text
are quoted below it. So no line of a prompt begins with stored text, whatever that is: a heading, a
role, a fence. What could open or close a tag, hide, or turn the direction of reading is written as
a character reference, which a model reads as easily as `unescaped` does.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from erstwhile.core.ids import short_id
from erstwhile.core.memory_markers import CLOSING, OPENING

_REFERENCE = r"(?:lt|amp|#x(?:10|[0-9A-F])?[0-9A-F]{1,4});"
_HIDDEN = (
    r"\x00-\x08\x0b-\x1f\x7f-\x9f"  # controls; a tab is harmless, a line feed is quoted
    r"\xad\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e"
    r"\u2060-\u206f\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff"
)
"""Of what cannot be seen, only the joiners that scripts and emoji need stay as they are."""
_UNSAFE = re.compile(  # a set of characters first: most texts hold none, and are passed quickly
    rf"[&<\[{_HIDDEN}](?:(?<![&<\[])"
    rf"|(?<=&)(?={_REFERENCE})"  # what would be taken for one of our references
    r"|(?<=<)(?=[A-Za-z/|!?])"  # tags, ours and others, and special tokens such as <|im_start|>
    r"|(?<=\[)(?=/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\]))"
)
_WRITTEN = re.compile(rf"&{_REFERENCE}")
_NAMED = {"<": "&lt;", "&": "&amp;"}
_MEANT = {written: meant for meant, written in _NAMED.items()}
_MORE = "  > "
_FENCED = re.compile(rf"^{re.escape(OPENING)}\n(.*?)^{re.escape(CLOSING)}$", re.DOTALL | re.M)
_ITEM = re.compile(r"^- \[([0-9a-f-]+)[^\]\n]*\] (.*(?:\n  > .*)*)$", re.M)


class Quoted(NamedTuple):
    """An item as it stands in a context."""

    short_id: str
    text: str


def quoted(id: str, notes: str, text: str) -> str:
    """The lines of an item, the last one ended; `notes` are ours and hold no bracket."""
    lines = escaped(text).replace("\n", f"\n{_MORE}")
    return f"- [{short_id(id)}{notes}] {lines}\n"


def escaped(text: str) -> str:
    """The text with references for whatever could be taken for more than text."""
    return _UNSAFE.sub(lambda found: _NAMED.get(found[0], f"&#x{ord(found[0]):X};"), text)


def unescaped(text: str) -> str:
    return _WRITTEN.sub(_character, text)


def parse(text: str) -> list[Quoted]:
    """The items that a context quotes, in their order, each text exactly as it was stored."""
    return [
        Quoted(item[1], unescaped(item[2].replace(f"\n{_MORE}", "\n")))
        for fenced in _FENCED.finditer(text)
        for item in _ITEM.finditer(fenced[1])
    ]


def _character(found: re.Match[str]) -> str:
    written = found[0]
    return _MEANT.get(written) or chr(int(written[3:-1], 16))
