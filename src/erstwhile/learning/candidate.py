"""A statement that an extractor found in a turn; the guard has not judged it yet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from erstwhile.core.kinds import Kind, Origin
from erstwhile.facts.fact import Relation
from erstwhile.learning.second_look.answers import NOT_ASKED, SecondLook

if TYPE_CHECKING:  # it needs numpy, which learning by rules does without
    from erstwhile.learning.reading.reader import ReadFate

BY_MODEL = "llm:"
"""The beginning of `found_by` and of the method of an attempt, before the name of a model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateReading:
    """What the network reads in the words of a candidate."""

    support: float | None
    """How surely they say it, as the logarithm of the odds; None for an ending."""
    likeness: float
    """How much alike the words and the candidate are, as the embedder sees them."""
    fates: Mapping[str, ReadFate]
    """What they mean for known facts, by their ids."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A possible fact, and the values that it may replace."""

    text: str
    """One declarative statement in the third person, as it would be stored."""
    kind: Kind = Kind.FACT
    key: str | None = None
    """The key if it is the value of a single-valued attribute, such as "name"."""
    value: str | None = None
    """The bare value of the key, such as "Mel"."""
    entities: tuple[str, ...] = ()
    relations: tuple[Relation, ...] = ()
    valid_from: datetime | None = None
    """The time from which it is valid, if the turn names one."""
    expires_at: datetime | None = None
    confidence: float | None = None
    replaces: tuple[str, ...] = ()
    """The ids of the facts that it replaces, if the extractor names them."""
    instead_of: tuple[str, ...] = ()
    """The values that it replaces, in the words of the turn: "npm"."""
    ends: bool = False
    """Whether it only ends something; `text` then says what was true."""
    slot: str = ""
    """The words in `text` that are its value: with an older value there, it is the older fact."""
    changes: bool = False
    """Whether the words say that it is new: "moved", "now", "no longer", "since Monday"."""
    corrects: bool = False
    """Whether the words correct a slip, so that the older value was never true."""
    messages: tuple[str, ...] = ()
    """The ids of the messages that contain it."""
    quote: str = ""
    """The words of the turn that it rests on, as the extractor copied them."""
    sentence: str = ""
    """The sentences of the turn around the quotation."""
    told_beside: str = ""
    """The statement of the same answer that tells an end in other words."""
    line: str = ""
    """The whole message around the quotation, without what its speaker pasted."""
    origin: Origin = Origin.LEARNED
    """The least trusted origin of those messages."""
    found_by: str = ""
    """The rule or the model that found it."""
    is_alone: bool = False
    """Whether nothing in its turn is from a tool or a pasted text."""
    is_plain: bool = False
    """Whether, besides, the user's message has no quotation, and nothing that may be pasted."""
    reading: CandidateReading | None = field(default=None, compare=False)
    """What the network reads in its words; None if it did not read them."""
    second_look: SecondLook = NOT_ASKED
    """What the model said when it was asked again."""
    outweighed: tuple[str, ...] = ()
    """The rules that objected, and that the network or a second look outweighed."""

    @property
    def by_model(self) -> bool:
        """Whether a language model proposed it. Patterns copy what they find; a model may not."""
        return self.found_by.startswith(BY_MODEL)
