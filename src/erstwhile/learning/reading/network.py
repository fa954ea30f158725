"""The network: it compares the pieces of a statement with those of a message, in plain numpy.

Each piece of a statement is set beside the pieces of the message that are most like it. What it
makes of these pairs, of the quotation and of its surroundings goes through two layers. The weights
are those that `bench/reading` trained; several networks that were trained alike vote.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from erstwhile.learning.reading.passage import NEAR, PassagePart, QuotedPassage

Matrix: TypeAlias = NDArray[np.float32]
_MESSAGE, _STATEMENT, _SUCCESSOR = 0, 1, 2
_REACH = 2
"""How many pieces on each side the layer over the message sees."""


class ReadMessage(NamedTuple):
    """A message as a network has read it."""

    rows: Matrix
    """A row for each piece."""
    parts: Sequence[Matrix]
    """A row for each part: the quotation, what is around it, and the exchange before."""


@dataclass(frozen=True, slots=True)
class ReadingNetwork:
    """One trained network."""

    weights: Mapping[str, Matrix]

    def support(self, message: ReadMessage, statement: Matrix, figures: Sequence[float]) -> float:
        """Return how surely the words say a statement: the logarithm of the odds."""
        read, pooled = message
        new = self._encoded(statement, _STATEMENT)
        parts = [*pooled, *self._beside(new, read), new.max(0)]
        return float(self._head("h0", [*parts, np.array(figures, np.float32)])[-1])

    def fate(
        self, message: ReadMessage, fact: Matrix, successor: Matrix | None, figures: Sequence[float]
    ) -> Matrix:
        """Return how surely a fact stays, is over, and was never so: three values to compare."""
        read, pooled = message
        known = self._encoded(fact, _STATEMENT)
        beside = self._encoded(successor, _SUCCESSOR)
        parts = [*pooled, *self._beside(known, read), known.max(0), *self._beside(known, beside)]
        return self._head("h1", [*parts, np.array(figures, np.float32)])

    def _encoded(self, rows: Matrix | None, kind: int) -> Matrix:
        made = self._projected(rows) + self.weights["typ.weight"][kind]
        return _gelu(made)

    def _projected(self, rows: Matrix | None) -> Matrix:
        if rows is None or not len(rows):  # nothing: the mean of all pieces
            return self.weights["w.bias"][None]
        made: Matrix = rows @ self.weights["project"] + self.weights["shift"]
        return made

    def read(self, passage: QuotedPassage) -> ReadMessage:
        """Return what the network makes of a message."""
        weights = self.weights
        made = self._projected(passage.rows) + weights["flag.weight"][passage.parts]
        made += passage.distances[:, None] * weights["dist.weight"][:, 0]
        made = _gelu(made + weights["typ.weight"][_MESSAGE])
        made = made + _gelu(self._convolved(made))
        near = passage.distances < NEAR
        quote = passage.parts == PassagePart.QUOTE
        chosen = (
            near & (passage.parts == PassagePart.AHEAD),
            near & (passage.parts == PassagePart.AFTER),
            passage.parts != PassagePart.BEFORE,
            passage.parts == PassagePart.BEFORE,
        )
        pooled = [_highest(made, quote), _mean(made, quote)]
        return ReadMessage(made, [*pooled, *(_highest(made, each) for each in chosen)])

    def _convolved(self, rows: Matrix) -> Matrix:
        kernel = self.weights["conv.weight"]
        padded = np.pad(rows, ((_REACH, _REACH), (0, 0)))
        made = np.repeat(self.weights["conv.bias"][None], len(rows), axis=0)
        for at in range(2 * _REACH + 1):
            made += padded[at : at + len(rows)] @ kernel[:, :, at].T
        return made

    def _beside(self, rows: Matrix, others: Matrix) -> list[Matrix]:
        """Compare each row with the others that are most like it; return the most and the mean."""
        weights = self.weights
        asked, told = rows @ weights["q.weight"].T, others @ weights["kk.weight"].T
        like = asked @ told.T / np.sqrt(np.float32(rows.shape[1]))
        like = np.exp(like - like.max(1, keepdims=True))
        near = like / like.sum(1, keepdims=True) @ others
        pairs = np.concatenate((rows, near, rows - near, rows * near), axis=1)
        made = _gelu(pairs @ weights["c.weight"].T + weights["c.bias"])
        return [made.max(0), made.mean(0)]

    def _head(self, name: str, parts: Sequence[Matrix]) -> Matrix:
        weights = self.weights
        hidden = weights[f"{name}.1.weight"] @ np.concatenate(parts) + weights[f"{name}.1.bias"]
        made: Matrix = weights[f"{name}.4.weight"] @ _gelu(hidden) + weights[f"{name}.4.bias"]
        return made


def _gelu(rows: Matrix) -> Matrix:
    made: Matrix = 0.5 * rows * (1 + np.tanh(0.7978845608 * (rows + 0.044715 * rows**3)))
    return made


def _highest(rows: Matrix, chosen: NDArray[np.bool_]) -> Matrix:
    made: Matrix = rows[chosen].max(0) if chosen.any() else np.zeros(rows.shape[1], np.float32)
    return made


def _mean(rows: Matrix, chosen: NDArray[np.bool_]) -> Matrix:
    made: Matrix = rows[chosen].sum(0) / max(1, int(chosen.sum()))
    return made
