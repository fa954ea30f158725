"""The marks round recalled memory in a prompt, by which it is known again.

What stands between them was given to an agent by this memory. It is no evidence for anything, and
is not learned from when it comes back in a message.
"""

from __future__ import annotations

import re

OPENING = "<erstwhile-memory>"
CLOSING = "</erstwhile-memory>"
_FENCED = re.compile(rf"{OPENING}.*?(?:{CLOSING}|\Z)", re.DOTALL)


def without_memory(text: str) -> str:
    """The text without what stands between the marks; an opening that is not closed takes all."""
    return _FENCED.sub("", text)
