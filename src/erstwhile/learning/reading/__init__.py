"""Reading: a small trained network that judges whether words say what a model proposes.

Word lists know the signs of many languages, but people say things in words that no list has. The
network reads the pieces of a text as the packaged embedder sees them, in all its languages. Begin
with `reader`. `passage` prepares a message, `network` computes, `bench/reading` trains it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from erstwhile.core.ports import Embedder

if TYPE_CHECKING:
    from erstwhile.learning.reading.reader import Reader


def reader_of(embedder: Embedder | None) -> Reader | None:
    """Return the reader for an embedder; None if it tells nothing of the pieces of a text."""
    features = getattr(embedder, "piece_features", None)
    if embedder is None or features is None:
        return None
    # Imported here: it needs numpy, which learning by rules does without.
    from erstwhile.learning.reading.reader import Reader, trained_networks

    return Reader(embedder, features, trained_networks())
