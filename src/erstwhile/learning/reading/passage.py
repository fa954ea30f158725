"""Prepare a message for the network: its pieces, and how far each is from the quotation."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from erstwhile.core.ports import PieceFeatures

NEAR = 1.2
"""The distance up to which words belong to the surroundings of a quotation."""
_STEP = 16.0
"""The pieces that are a distance of one."""
_FARTHEST = 63
_AHEAD, _BEHIND = 60, 50
"""The pieces around a quotation that are read."""
_MOST = 150
_LONGEST_BEFORE = 350
"""The characters of the exchange before that are read."""
AROUND = 600
"""The characters of a message on each side of a quotation that are looked at."""


class PassagePart(IntEnum):
    """The part of a message that a piece is in."""

    BEFORE = 0
    """The exchange before."""
    AHEAD = 1
    QUOTE = 2
    AFTER = 3


@dataclass(frozen=True, slots=True)
class QuotedPassage:
    """The pieces of a message around a quotation."""

    rows: NDArray[np.float32]
    parts: NDArray[np.int64]
    distances: NDArray[np.float32]
    """How far each piece is from the quotation."""


def passage_of(
    features: PieceFeatures, text: str, start: int, end: int, before: str
) -> QuotedPassage:
    """Return the pieces of a text around the words from start to end, after the one before."""
    ahead = text[max(0, start - AROUND) : start]
    texts = (before[-_LONGEST_BEFORE:], ahead, text[start:end], text[end : end + AROUND])
    rows, counts = features(texts)
    parts = np.repeat(np.arange(len(texts)), counts)
    quoted = np.flatnonzero(parts == PassagePart.QUOTE)
    first, last = (int(quoted[0]), int(quoted[-1])) if len(quoted) else (0, len(parts) - 1)
    kept = np.arange(max(0, first - _AHEAD), min(len(parts), last + 1 + _BEHIND))[:_MOST]
    apart = np.where(kept < first, first - kept, np.where(kept > last, kept - last, 0))
    distances = np.clip(apart, 0, _FARTHEST).astype(np.float32) / np.float32(_STEP)
    return QuotedPassage(rows[kept], parts[kept], distances)
