"""Ask the networks whether words say a statement, and what they mean for a known fact."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import numpy as np

from erstwhile.adapters.embedders.one_blas_thread import one_blas_thread
from erstwhile.core.kinds import Kind
from erstwhile.core.ports import Embedder, PieceFeatures
from erstwhile.learning.quoted_words import QuotedWords
from erstwhile.learning.reading.network import Matrix, ReadingNetwork, ReadMessage
from erstwhile.learning.reading.passage import AROUND, QuotedPassage, passage_of

_LENGTH = 500.0
_FARTHEST_RIVAL = 0.5


class ProposedText(NamedTuple):
    """A statement that a model proposes or that is known."""

    text: str
    kind: Kind
    key: str | None = None
    replaces: bool = False
    """Whether it should take the place of a known fact."""


class ClaimedFact(NamedTuple):
    """A known fact that a proposal ends or replaces, and what is beside it."""

    text: str
    kind: Kind
    rivals: Sequence[str]
    """The other known facts."""
    successor: str | None
    """The statement that should take its place; None if it should only end."""
    same_key: bool
    """Whether its successor is another value of its key."""


class ReadFate(NamedTuple):
    """What words mean for a known fact, as logarithms of odds."""

    over: float
    """It is no longer so, or never was, against: it stays."""
    wrong: float
    """It was never so, against: it is no longer so."""
    likeness: float = 0.0
    """How much alike the words and the fact are at most, as the embedder sees them."""


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads with the features of an embedder."""

    embedder: Embedder
    features: PieceFeatures
    networks: tuple[ReadingNetwork, ...]
    kept: dict[QuotedWords, list[tuple[ReadingNetwork, ReadMessage]]] = field(
        default_factory=dict, compare=False, repr=False
    )
    """The last message that was read. A reader serves one thread."""

    def support(self, words: QuotedWords, statement: ProposedText) -> float:
        """Return how surely words say a statement: the logarithm of the odds."""
        rows, figures = self.rows(statement.text), self.support_figures(words, statement)
        with one_blas_thread()():
            found = [each.support(message, rows, figures) for each, message in self._read(words)]
        return sum(found) / len(found)

    def likeness(self, words: QuotedWords, text: str) -> float:
        """Return how much alike a text and the words, or what is around them, are at most."""
        return max(self._likeness(words, text))

    def fate(self, words: QuotedWords, fact: ClaimedFact) -> ReadFate:
        """Return what words mean for a known fact."""
        rows = self.rows(fact.text)
        new = None if fact.successor is None else self.rows(fact.successor)
        figures = self.fate_figures(words, fact)
        with one_blas_thread()():
            found = [each.fate(message, rows, new, figures) for each, message in self._read(words)]
        stays, over, wrong = np.mean(found, axis=0).tolist()
        alike = self.likeness(words, fact.text)
        return ReadFate(float(np.logaddexp(over, wrong)) - stays, wrong - over, alike)

    def _read(self, words: QuotedWords) -> list[tuple[ReadingNetwork, ReadMessage]]:
        """Return what each network makes of the message; kept, since a proposal asks it often."""
        if words not in self.kept:
            self.kept.clear()
            passage = self.passage(words)
            self.kept[words] = [(each, each.read(passage)) for each in self.networks]
        return self.kept[words]

    def passage(self, words: QuotedWords) -> QuotedPassage:
        """Return the pieces of the message around the words."""
        return passage_of(self.features, words.text, words.start, words.end, words.before)

    def rows(self, text: str) -> Matrix:
        """Return a row for each piece of a statement."""
        return self.features((text,))[0]

    def support_figures(self, words: QuotedWords, statement: ProposedText) -> list[float]:
        """Return how much alike the statement and the words are, and what kind it is of."""
        kinds = (Kind.STATE, Kind.PREFERENCE, Kind.PROFILE, Kind.RELATION)
        return [
            *self._likeness(words, statement.text),
            *(float(statement.kind is each) for each in kinds),
            float(statement.replaces),
            float(statement.key is not None),
            len(words.text) / _LENGTH,
        ]

    def fate_figures(self, words: QuotedWords, fact: ClaimedFact) -> list[float]:
        """Return how much alike fact, words and successor are, beside the rivals of the fact."""
        quote, sentence, whole = self._likeness(words, fact.text)
        others = [self._cosine(words.sentence, each) for each in fact.rivals]
        behind = float(np.clip(max(others, default=0) - sentence, -1, _FARTHEST_RIVAL))
        new = fact.successor
        beside = 0.0 if new is None else self._cosine(new, fact.text)
        kinds = (Kind.PREFERENCE, Kind.RELATION)
        return [
            *(quote, sentence, whole, behind, beside),
            float(new is None),
            float(fact.same_key),
            *(float(fact.kind is each) for each in kinds),
            len(words.text) / _LENGTH,
        ]

    def _likeness(self, words: QuotedWords, text: str) -> tuple[float, float, float]:
        start, end = max(0, words.start - AROUND), words.end + AROUND
        around = words.text[start:end]
        quote = words.text[words.start : words.end]
        return (
            self._cosine(quote, text),
            self._cosine(words.sentence, text),
            self._cosine(around, text),
        )

    def _cosine(self, one: str, two: str) -> float:
        first, second = self.embedder.embed([one, two], query=True)
        return float(first @ second)


@cache
def trained_networks() -> tuple[ReadingNetwork, ...]:
    """Return the trained networks, whose weights are stored as halves of their size."""
    with np.load(str(files(__package__) / "weights.npz")) as stored:
        arrays = {name: stored[name].astype(np.float32) for name in stored.files}
    names = sorted({name.split("/")[0] for name in arrays})
    return tuple(
        ReadingNetwork({k.split("/")[1]: v for k, v in arrays.items() if k.startswith(f"{each}/")})
        for each in names
    )
