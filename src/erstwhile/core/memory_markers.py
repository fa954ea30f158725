"""The markers around recalled memory in a prompt.

The text between them came from this memory. It is no new evidence, so learning ignores it when it
comes back in a message.
"""

from __future__ import annotations

import re

OPENING = "<erstwhile-memory>"
CLOSING = "</erstwhile-memory>"
_FENCED = re.compile(rf"{OPENING}.*?(?:{CLOSING}|\Z)", re.DOTALL)


def without_memory(text: str) -> str:
    """Remove the text between the markers. An unclosed marker removes all text after it."""
    return _FENCED.sub("", text)
