"""The answers that a language model can give at its second look at a proposal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Support(StrEnum):
    """Whether the words of a user say a statement; if they do not, why."""

    SAID = "said"
    QUESTION = "question"
    SUPPOSITION = "supposition"
    PLAN = "plan"
    JOKE = "joke"
    STORY = "story"
    SOMEBODY_ELSE = "somebody else"
    QUOTED = "quoted"
    FOR_A_WHILE = "for a while"
    NO_LONGER = "no longer"
    DENIED = "denied"
    MORE = "more than said"
    MISREAD = "misread"


class FactFate(StrEnum):
    """What the words of a user mean for a known fact."""

    GOES_ON = "goes on"
    OVER = "over"
    NEVER_SO = "never so"


@dataclass(frozen=True, slots=True, kw_only=True)
class SecondLook:
    """What a model says about one proposal when it is asked again."""

    support: Support | None = None
    """Whether the words say the statement; None if it was not asked."""
    fates: Mapping[str, FactFate] = field(default_factory=dict)
    """What they mean for the known facts that the proposal ends or replaces, by their ids."""


NOT_ASKED = SecondLook()
