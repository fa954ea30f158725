"""One attempt to learn from a turn: what it was about, how it went and what it led to."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from erstwhile.learning.change import Act
from erstwhile.storage.record import Record


class AttemptOutcome(StrEnum):
    """How an attempt went."""

    LEARNED = "learned"
    """Something of memory changed, or was found to be known."""
    NOTHING = "nothing"
    """The turn was looked through, and holds nothing to keep."""
    NOT_SALIENT = "not_salient"
    """The turn did not look as if it held anything."""
    FAILED = "failed"
    """It will be tried again."""
    GIVEN_UP = "given_up"
    """It failed too often."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptChange:
    """What became of one candidate."""

    act: Act
    fact: str | None
    """The id of the fact that it led to."""
    because: str = ""
    """The rule that decided it."""
    rule: str = ""
    """The guard's rule, if the guard had something to say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt(Record):
    """An attempt at the messages from `first` to `last`. It holds ids, and nothing that was said.

    `cost` is in dollars; None means that nobody knows the price.
    """

    conversation: str
    first: int
    last: int
    messages: tuple[str, ...]
    outcome: AttemptOutcome
    method: str
    """What found the candidates: "patterns", "llm:MODEL" or "none"."""
    reason: str | None
    input: int
    output: int
    cost: Decimal | None
    changes: tuple[AttemptChange, ...]
