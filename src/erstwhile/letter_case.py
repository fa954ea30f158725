"""Search text in any letter case, several times faster than with `re.IGNORECASE`.

A pattern that ignores case compares each character by a table, and tries every alternative at every
place. A folded pattern on folded text skips alternatives by their first character. Any package may
import this module; it imports only the standard library.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

CASED = "(?-i:"
"""The beginning of a group in which case matters. A pattern with such a group is not folded."""
_ESCAPED_OR_LETTER = re.compile(r"\\.|\(\?P<\w+>|[^\W\d_a-z]", re.DOTALL)


class AnyCase:
    """A pattern that is searched in any letter case.

    The texts in a match are in lower case; its places are those in the text.
    """

    def __init__(self, pattern: str, flags: re.RegexFlag = re.NOFLAG) -> None:
        self._cased = CASED in pattern
        if self._cased:
            self._regex = re.compile(pattern, flags | re.IGNORECASE)
        else:
            self._regex = re.compile(fold_pattern(pattern), flags)

    def found_in(self, text: str) -> Iterator[re.Match[str]]:
        """Return the matches in a text, one after the other."""
        return self._regex.finditer(text if self._cased else fold(text))


def fold(text: str) -> str:
    """Return a text in lower case, of the same length. Letters that `re` calls equal are equal."""
    if text.isascii():
        return text.lower()
    text = text.replace("İ", "i").lower().replace("ı", "i")
    return text.replace("ς", "σ").replace("ſ", "s").replace("ᲂ", "о")


def fold_pattern(pattern: str) -> str:
    """Return a pattern that finds in folded text what the given one finds in any letter case."""

    def folded(found: re.Match[str]) -> str:
        return fold(found[0]) if len(found[0]) == 1 else found[0]

    return _ESCAPED_OR_LETTER.sub(folded, pattern).replace("(?i:", "(?:")
