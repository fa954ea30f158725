"""Escape stored text for a terminal, because a terminal executes control characters."""

from __future__ import annotations

from unicodedata import category

_INVISIBLE = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))
_JOINERS = "\u200c\u200d"  # needed in Persian words and in emoji, and harmless


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
    """Return safe text that keeps its lines."""
    return safe(text.replace("\r\n", "\n"), keep="\n\t")


def safe_line(text: str, limit: int = 200) -> str:
    """Return safe text on one line, cut if it is too long."""
    line = safe(" ".join(text.lstrip()[: 4 * limit].split()))
    return line if len(line) <= limit else f"{line[: limit - 1]}…"
