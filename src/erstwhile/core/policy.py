"""The policy of the guard: the settings that decide what may be learned."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Personal(StrEnum):
    """The treatment of e-mail addresses, card numbers and the like in learned facts."""

    KEEP = "keep"
    MASK = "mask"
    HOLD = "hold"
    REFUSE = "refuse"


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The settings of the guard."""

    pii: Personal = Personal.KEEP
    """The treatment of personal data."""
    longest: int = 1_000
    """The longest text in characters; a learned fact is short."""
