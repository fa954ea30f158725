"""What a similarity means: one model calls .3 near, to another .7 is nothing.

So each model is measured once, before its first vectors are stored: it embeds a few questions and
a few facts that answer one of them each. What it says of those that do not belong together is
what it says of anything. The pairs were chosen so that both bundled models say of them what they
say of the facts of whole stores.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_PER_SPREAD = 0.065
"""Relevance per spread above the usual: a tenth, the floor, begins one and a half spreads above it.
There lie 80 % of the facts that answer a question without sharing a word with it (92 % for
MiniLM), and the best of 40 facts for one question out of three that none of them answers."""

_LEAST = 1e-3
"""Similarities that differ by less, or are not numbers, tell nothing apart."""


class Scale(NamedTuple):
    """Mean and spread of the similarity of a question and a fact that does not answer it."""

    usual: float
    spread: float

    def nearness(self, cosine: float) -> float:
        """A similarity measured against that of what is unrelated."""
        return _PER_SPREAD * (cosine - self.usual) / self.spread


USUAL = Scale(0.07, 0.075)
"""What both bundled models say of facts of one store, nearly."""


def measured(embed: Callable[[Sequence[str], bool], NDArray[np.float32]]) -> Scale:
    """The scale of a model; the usual one, if it says the same of all, or nothing at all."""
    import numpy as np

    pairs = json.loads((Path(__file__).parent / "pairs.json").read_text("utf-8"))
    asked, told = (
        embed([pair[0] for pair in pairs], True),
        embed([pair[1] for pair in pairs], False),
    )
    unrelated = (asked @ told.T)[~np.eye(len(pairs), dtype=bool)]
    scale = Scale(float(unrelated.mean()), float(unrelated.std()))
    return scale if scale.spread > _LEAST else USUAL
