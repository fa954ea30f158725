"""An attempt to learn from a turn: its messages, its outcome and its changes."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from erstwhile.conversations.conversation import Message
from erstwhile.learning.change import Act
from erstwhile.secrets.masking import masked_repr
from erstwhile.storage.record import Record


class AttemptOutcome(StrEnum):
    """The outcome of an attempt."""

    LEARNED = "learned"
    """Memory changed, or the content was known already."""
    HELD = "held"
    """Something was proposed and held in quarantine, and memory did not change otherwise."""
    NOTHING = "nothing"
    """The turn was read, and contains nothing to keep."""
    NOT_SALIENT = "not_salient"
    """The turn was not read, because it probably contains nothing to keep."""
    FAILED = "failed"
    """The attempt failed, and the turn will be tried again."""
    GIVEN_UP = "given_up"
    """The turn failed too often and was given up."""


DONE = {
    Act.ADD: "added",
    Act.REPEAT: "repeated",
    Act.SUPERSEDE: "superseded",
    Act.END: "ended",
    Act.CONFLICT: "in conflict",
    Act.HOLD: "held",
    Act.REFUSE: "refused",
}
"""What became of a proposal, in the words of a report."""


@masked_repr
@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptChange:
    """The result for one candidate: what was proposed, what was done, and why."""

    act: Act
    fact: str | None
    """The id of the fact that was added or changed."""
    because: str = ""
    """The rule that decided the change."""
    rule: str = ""
    """The rules of the guard that matched, if any."""
    text: str = ""
    """The proposed statement, masked and shortened; empty after an erasure."""
    quote: str = ""
    """The words of the turn that it rests on, masked and shortened; empty after an erasure."""

    def __str__(self) -> str:
        said = f' "{self.text}"' if self.text else ""
        return f"{DONE[self.act]}{said}" + (f": {self.because}" if self.because else "")


@masked_repr
@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt(Record):
    """An attempt to learn from the messages `first` to `last`.

    It stores their ids, and the statements that were proposed. Erasing one of the messages, or a
    proposed fact, removes the statements. `cost` is in dollars; None means that the price is
    unknown.
    """

    conversation: str
    first: int
    last: int
    messages: tuple[str, ...]
    outcome: AttemptOutcome
    method: str
    """The extractor: "patterns", "llm:MODEL" or "none"."""
    reason: str | None
    input: int
    output: int
    cost: Decimal | None
    changes: tuple[AttemptChange, ...]


@masked_repr
@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """The stored messages of the user, the tools and the assistant."""

    user: Message
    tools: tuple[Message, ...]
    assistant: Message
    attempts: tuple[Attempt, ...] = ()
    """The attempts to learn from the turn; empty unless the caller waited for them."""

    @property
    def conversation(self) -> str:
        """The id of the conversation."""
        return self.user.conversation
