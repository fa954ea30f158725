"""Tell how much alike a statement and some words are, with an embedder that was measured for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from erstwhile.core.errors import EmbedderError
from erstwhile.core.logs import log_failure
from erstwhile.core.ports import Embedder, ParaphraseScale
from erstwhile.recall.embedder_calls import embed_texts


@dataclass(frozen=True, slots=True)
class Paraphrases:
    """Compares texts by their meaning, also across languages."""

    embedder: Embedder
    scale: ParaphraseScale

    def likeness(self, statement: str, texts: Sequence[str]) -> float | None:
        """Return the highest cosine of a statement and a text; None if the embedder fails."""
        return max(self._cosines(statement, texts), default=None)

    def nearest(self, statement: str, texts: Sequence[str]) -> int | None:
        """Return the place of the text that a statement is most like; None if it is unknown."""
        found = self._cosines(statement, texts)
        return found.index(max(found)) if found else None

    def _cosines(self, statement: str, texts: Sequence[str]) -> list[float]:
        try:
            first, *others = embed_texts(self.embedder, (statement, *texts), None)
        except EmbedderError as error:
            log_failure(__name__, "a proposal was not compared by its meaning", error=error)
            return []
        return [float(first @ each) for each in others]


def paraphrases_of(embedder: Embedder | None) -> Paraphrases | None:
    """Return the comparison by an embedder; None if nobody measured it, as of a remote one."""
    scale = getattr(embedder, "paraphrases", None)
    return Paraphrases(embedder, scale) if embedder and scale else None
