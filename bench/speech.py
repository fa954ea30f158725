"""Random facts and questions with natural word frequencies, and vectors for them.

Word frequencies follow Zipf's law. The most frequent words are English function words, the others
are invented words of two to four syllables. So a question has words of every second fact, words of
one fact in a hundred, and very rare words.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import product
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

WORDS = 20_000
_COMMONEST = (
    "the of to and a in is it you that he was for on are with as his they at be this from have or "
    "by had but what some we can out other were all there when up use your how said an each she "
    "which do their if will way about many then them would so these her him has more two no could "
    "my than been who its now did get come made may part over new after also our just where most "
    "through much before very any same another because does well such here why things must went"
)
_FUNCTION_WORDS = _COMMONEST.split()
_SYLLABLES = ["".join(each) for each in product("bdfgklmnprstvz", "aeiou", ["", "n", "r", "l"])]
_TOPICS = 300
_TOPIC_SHARE = 0.35
"""The share of the words of a fact that come from the few words of its topic."""


class Speech:
    """A generator of facts and questions; a seed always gives the same texts."""

    def __init__(self, seed: int = 0) -> None:
        self._random = np.random.default_rng(seed)
        self._vocabulary = np.array(_vocabulary())
        shares = 1 / (np.arange(WORDS) + 2.7)
        self._sums = np.cumsum(shares / shares.sum())

    def facts(self, count: int) -> list[str]:
        """Return `count` facts of 10 to 25 words."""
        lengths = self._random.integers(10, 26, count)
        words = self._vocabulary[self._places(lengths)]
        ends = np.cumsum(lengths)
        pairs = zip(ends - lengths, ends, strict=True)
        return [" ".join(words[start:end].tolist()) for start, end in pairs]

    def question(self, about: str) -> str:
        """Return a question of 5 to 10 words: some of a fact, and function words around them."""
        told = list(dict.fromkeys(each for each in about.split() if each not in _FUNCTION_WORDS))
        kept = self._random.permutation(told)[: self._random.integers(2, 6)].tolist()
        around = self._random.choice(_FUNCTION_WORDS, self._random.integers(3, 6)).tolist()
        return " ".join([*around[:2], *kept, *around[2:]]) + "?"

    def _places(self, lengths: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return places in the vocabulary; some words of each fact belong to its topic."""
        total = int(lengths.sum())
        places = np.minimum(np.searchsorted(self._sums, self._random.random(total)), WORDS - 1)
        topics = np.repeat(self._random.integers(0, _TOPICS, len(lengths)), lengths)
        told = (self._random.random(total) < _TOPIC_SHARE) & (places >= len(_FUNCTION_WORDS))
        moved = places - places % _TOPICS + topics
        return np.where(told & (moved < WORDS), moved, places)


class WordVectors:
    """A cheap embedder: a text is the sum of its word vectors, similar within a topic."""

    dimensions = 512
    model = "word-vectors/bench"
    _ROWS = 4_096

    def embed(self, texts: Sequence[str], *, query: bool = False) -> NDArray[np.float32]:  # noqa: ARG002
        rows = np.stack([self._row(text) for text in texts])
        rows += self._common
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        return rows

    def _row(self, text: str) -> NDArray[np.float32]:
        hashes = [crc32(word.encode()) % self._ROWS for word in text.strip("?").split()]
        row: NDArray[np.float32] = self._directions[hashes].sum(axis=0)
        return row / max(float(np.linalg.norm(row)), 1e-6)

    @cached_property
    def _directions(self) -> NDArray[np.float32]:
        random = np.random.default_rng(7)
        own = random.standard_normal((self._ROWS, self.dimensions), np.float32)
        shared = random.standard_normal((_TOPICS, self.dimensions), np.float32)
        return own + shared[np.arange(self._ROWS) % _TOPICS]

    @cached_property
    def _common(self) -> NDArray[np.float32]:
        """The part that all texts share: real vectors are not centred either."""
        row = np.random.default_rng(8).standard_normal(self.dimensions, np.float32)
        row *= 0.6 / self.dimensions**0.5
        return row


def _vocabulary() -> list[str]:
    """Return function words, then invented words."""
    pairs = ["".join(each) for each in product(_SYLLABLES[::3], repeat=2)]
    triples = ["".join(each) for each in product(_SYLLABLES[::7], repeat=3)]
    words = [each for each in dict.fromkeys([*pairs, *triples]) if each not in _FUNCTION_WORDS]
    mixed = [words[at] for at in np.random.default_rng(1).permutation(len(words))]
    return [*_FUNCTION_WORDS, *mixed][:WORDS]
