"""Find the sentences of a message. A line break ends one: many lists have no full stops."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

# A line that begins with such a small word goes on with the sentence of the line before.
_SENTENCE = re.compile(
    r"(?:[^.!?…。！？｡\n\u2028\u2029]++|(?<=\b[DM]r)\.|(?<=\bM[sx])\.|(?<=\bMrs)\.|(?<=\bProf)\."
    r"|(?<=\be\.g)\.|(?<=\bi\.e)\.|(?<=\bz\.B)\."
    r"|\n(?=(?:in|to|with|of|or|by|at|auf|mit|von|en|con|avec|dans)\s)|[.!?…](?=[^\s\"')]))+[.!?…。！？｡]*"
)
LEADING = re.compile(r"(?:[\s*•·–—+#)\]¿¡]|-(?=[\s-])|\d{1,2}[.)])*")
"""A bullet or a number, with white space."""


class Sentence(NamedTuple):
    """The place of a sentence, without bullet and white space around it."""

    start: int
    end: int


def sentences_of(text: str) -> Iterator[Sentence]:
    """Yield the sentences of more than three characters."""
    for found in _SENTENCE.finditer(text):
        lead = LEADING.match(text, found.start(), found.end())
        start = lead.end() if lead else found.start()
        end = start + len(text[start : found.end()].rstrip())
        if end - start > 3:
            yield Sentence(start, end)
