"""The table of what an import would bring."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Coming:
    """How many records of a kind would come, whose they are, and one of them."""

    what: str
    whose: str
    count: int
    example: str
