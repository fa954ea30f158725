"""What the guard lets pass: the choices that are left to whoever runs a memory."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Personal(StrEnum):
    """What happens to e-mail addresses, numbers of cards and the like in what is learned."""

    KEEP = "keep"
    MASK = "mask"
    HOLD = "hold"
    REFUSE = "refuse"


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """How the guard judges."""

    pii: Personal = Personal.KEEP
    """What happens to personal data."""
    longest: int = 1_000
    """How many characters a text may have; a learned fact is short."""
