"""Stored text on a terminal: shown, never obeyed."""

from __future__ import annotations

from unicodedata import category

_INVISIBLE = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))
_JOINERS = "\u200c\u200d"  # parts of Persian words and of emoji, and without any power


def safe(text: str, *, keep: str = "") -> str:
    """The text with control, bidirectional and other invisible characters written out."""
    allowed = _JOINERS + keep
    return "".join(
        character if character in allowed or category(character) not in _INVISIBLE
        # as Python writes it, such as \x1b
        else character.encode("unicode_escape").decode()
        for character in text
    )  # fmt: skip


def safe_lines(text: str) -> str:
    """Text of several lines, which stay lines."""
    return safe(text.replace("\r\n", "\n"), keep="\n\t")


def safe_line(text: str, limit: int = 200) -> str:
    """Text brought to one line, and cut when it is long."""
    line = safe(" ".join(text.lstrip()[: 4 * limit].split()))
    return line if len(line) <= limit else f"{line[: limit - 1]}…"
