"""Tell whether one statement says all that another says, and more, so that one of them is enough.

"The user uses Flask 2.3 for the shop" has all words of "The user uses Flask", in the same order and
from the beginning, and goes on with a number, a name, or a word that only adds something.
"""

from __future__ import annotations

import re

from erstwhile.core.kinds import Kind
from erstwhile.core.text import folded

_EVENTS = (Kind.EVENT, Kind.DECISION, Kind.STATE)
"""What happens may happen again."""
_ADDS = re.compile(
    r",? (?:\d|v\d|(?:and|with|for|in|at|on|since|named|called|who|which|because|as|from|to|und|mit"
    r"|für|bei|seit|namens|weil|y|con|para|en|desde|que|porque|llamad[oa]s?|et|avec|pour|chez|depuis"
    r"|qui|parce|nommée?|e|com|em|per|da|met|voor|sinds)\b)|[,，、和与跟]",
    re.IGNORECASE,
)
_ONLY = re.compile(
    r"\b(?:only|just|but|except|not|never|no longer|nur|nicht|solo|no|seulement|pas)\b|[只不]|だけ",
    re.IGNORECASE,
)


def says_same_and_more(text: str, than: str, kind: Kind) -> bool:
    """Return whether a text repeats another one and adds to it."""
    long, short = _bare(text), _bare(than)
    if kind in _EVENTS or len(long) <= len(short) or not long.startswith(short):
        return False
    more = long[len(short) :]
    return _ADDS.match(more) is not None and _ONLY.search(more) is None


def _bare(text: str) -> str:
    """Return a text without its end, so that a quotation can go on."""
    return folded(text).rstrip(' ."”')
