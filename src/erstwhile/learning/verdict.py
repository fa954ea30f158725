"""What the guard says of a text."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Action(StrEnum):
    """What to do with a text, from the mildest to the gravest."""

    KEEP = "keep"
    REDACT = "redact"
    HOLD = "hold"
    REFUSE = "refuse"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """One check's judgement. `text` is what may be stored of what was examined."""

    action: Action
    text: str
    reason: str = ""
    rule: str = ""
    """The check and its rule, such as "injection/override"."""
