"""Escape stored text for a terminal, because a terminal executes control characters."""

from __future__ import annotations

import json
import re
from typing import Any
from unicodedata import category

_INVISIBLE = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))
_JOINERS = "\u200c\u200d"  # needed in Persian words and in emoji, and harmless
_RAW = re.compile(r"[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Characters that JSON does not escape, but that a terminal may obey or cannot show."""


def safe(text: str, *, keep: str = "") -> str:
    """Return the text with control, bidirectional and other invisible characters escaped."""
    allowed = _JOINERS + keep
    return "".join(
        character if character in allowed or category(character) not in _INVISIBLE
        # as in Python, such as \x1b
        else character.encode("unicode_escape").decode()
        for character in text
    )  # fmt: skip


def safe_lines(text: str) -> str:
    return safe(text.replace("\r\n", "\n"), keep="\n\t")


def safe_line(text: str, limit: int = 200) -> str:
    """Return safe text on one line, cut if it is too long."""
    line = safe(" ".join(text.lstrip()[: 4 * limit].split()))
    return line if len(line) <= limit else f"{line[: limit - 1]}…"


def json_line(value: Any, *, indent: int | None = None) -> str:
    """Return the value as JSON that is safe on a terminal."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)
    return _RAW.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
