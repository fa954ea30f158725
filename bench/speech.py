"""Random facts, messages and questions with natural word frequencies, and vectors for them.

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

from erstwhile.adapters.embedders.universal import UniversalEmbedder

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
_TECHNICAL = (
    "password token key secret login pass https://example.org/docs/page?id=7 ana@example.org "
    "2026-11-16 3.11.7 1,500 getUserName src/app.py session_id API_URL=localhost:8000 #42 10:30"
)
_MARKS = _TECHNICAL.split()
"""What messages about work have, and what the masking of secrets looks at."""
_MARKED = 0.02
_TOPICS = 300
_TOPIC_SHARE = 0.35
"""The share of the words of a fact that come from the few words of its topic."""

_BEGINNING = 30
"""The words of a text that a question may be about: about as many as a passage has."""


class Speech:
    """A generator of facts and questions; a seed always gives the same texts."""

    def __init__(self, seed: int = 0) -> None:
        self._random = np.random.default_rng(seed)
        self._vocabulary = np.array(_vocabulary())
        shares = 1 / (np.arange(WORDS) + 2.7)
        self._sums = np.cumsum(shares / shares.sum())

    def facts(self, count: int) -> list[str]:
        """Return `count` facts of 10 to 25 words."""
        return [" ".join(words) for words in self._texts(count, 10, 25)]

    def messages(self, count: int, words: int = 200) -> list[str]:
        """Return `count` messages of about this many words, in sentences of 8 to 18 words."""
        texts = self._texts(count, words * 3 // 4, words * 5 // 4)
        return [self._sentences(self._with_marks(each)) for each in texts]

    def question(self, about: str, most: int = 5) -> str:
        """Return a question: two to `most` words of a beginning, and some function words."""
        said = about.replace(".", "").lower().split()
        told = list(dict.fromkeys(each for each in said if each not in _FUNCTION_WORDS))
        mixed = self._random.permutation(told[:_BEGINNING])
        kept = mixed[: self._random.integers(2, most + 1)].tolist()
        around = self._random.choice(_FUNCTION_WORDS, self._random.integers(3, 6)).tolist()
        return " ".join([*around[:2], *kept, *around[2:]]) + "?"

    def _texts(self, count: int, shortest: int, longest: int) -> list[list[str]]:
        lengths = self._random.integers(shortest, longest + 1, count)
        words = self._vocabulary[self._places(lengths)]
        ends = np.cumsum(lengths)
        return [
            words[end - length : end].tolist() for end, length in zip(ends, lengths, strict=True)
        ]

    def _with_marks(self, words: list[str]) -> list[str]:
        """Put a word of technical talk in place of every fiftieth word or so."""
        marked = self._random.random(len(words)) < _MARKED
        marks = self._random.choice(_MARKS, len(words)).tolist()
        return [
            mark if taken else word for word, mark, taken in zip(words, marks, marked, strict=True)
        ]

    def _sentences(self, words: list[str]) -> str:
        ends = np.cumsum(self._random.integers(8, 19, len(words) // 8 + 1)).tolist()
        starts = [0, *(end for end in ends if end < len(words))]
        parts = [words[start:end] for start, end in zip(starts, [*starts[1:], None], strict=True)]
        return " ".join(f"{' '.join(part).capitalize()}." for part in parts)

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
    in_process = True
    _ROWS = 4_096

    def embed(self, texts: Sequence[str], *, query: bool = False) -> NDArray[np.float32]:  # noqa: ARG002
        rows = np.stack([self._row(text) for text in texts])
        rows += self._common
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        return rows

    def _row(self, text: str) -> NDArray[np.float32]:
        words = text.replace(".", "").strip("?").lower().split()
        hashes = [crc32(word.encode()) % self._ROWS for word in words]
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


class AtFullCost(WordVectors):
    """The same vectors; but a question costs what the bundled embedder takes for it."""

    def __init__(self) -> None:
        self._bundled = UniversalEmbedder()

    def embed(self, texts: Sequence[str], *, query: bool = False) -> NDArray[np.float32]:
        if query:
            self._bundled.embed(texts, query=True)
        return super().embed(texts)


def _vocabulary() -> list[str]:
    """Return function words, then invented words."""
    pairs = ["".join(each) for each in product(_SYLLABLES[::3], repeat=2)]
    triples = ["".join(each) for each in product(_SYLLABLES[::7], repeat=3)]
    words = [each for each in dict.fromkeys([*pairs, *triples]) if each not in _FUNCTION_WORDS]
    mixed = [words[at] for at in np.random.default_rng(1).permutation(len(words))]
    return [*_FUNCTION_WORDS, *mixed][:WORDS]
