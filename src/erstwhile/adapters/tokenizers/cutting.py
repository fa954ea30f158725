"""Where a text can be cut so that counts add up: no token of OpenAI's vocabularies reaches there.

They never join the end of a line with what begins the next one, unless that is a line end, a
space or a slash. Spaces that something follows begin a token of their own.
"""

from __future__ import annotations

import re

_BETWEEN_LINES = re.compile(r"\n(?= *[^\s/])")


def lines(text: str) -> list[str]:
    """The text in parts whose tokens are together those of the whole."""
    *ended, last = _BETWEEN_LINES.split(text)
    return [f"{line}\n" for line in ended] + [last]
