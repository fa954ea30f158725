"""Tell the tools of a list apart: each is a statement of its own, which others repeat or change."""

from __future__ import annotations

import re
from collections.abc import Sequence

_USING = re.compile(
    r"i(?:'m| am|'ve been| have been) (?:(?:currently|already|now|also|still|actually) )?using ",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r",? and |, ")
_TOOL = re.compile(
    r"(?:`[^`]+`|[A-Z][\w.+#-]*(?: [A-Z][\w.+#-]*)?)(?: v?\d[\w.]*)?(?: templating)?"
)
"""The name of a tool, perhaps with its version."""

_LASTING = re.compile(r"\b(?:since|for (?:an?|the last|over|about|\w+ years?|\w+ months?|\d+))\b")


def tools_apart(said: str) -> Sequence[str]:
    """Return a statement for each tool of a list; what follows the last tool stays with it."""
    using = _USING.match(said)
    if using is None:
        return (said,)
    items = _BETWEEN.split(said[using.end() :])
    named = [_TOOL.match(item) for item in items]
    *first, last = zip(items, named, strict=True)
    whole = all(found is not None and found.end() == len(item) for item, found in first)
    if _LASTING.search(said) or not whole or last[1] is None:
        return (said,)
    return [f"{using[0]}{item}" for item in items]
