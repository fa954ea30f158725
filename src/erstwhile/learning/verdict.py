"""The verdict of the guard on a text."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from erstwhile.core.errors import RefusedError


class Action(StrEnum):
    """The action on a text, from the mildest to the most severe."""

    KEEP = "keep"
    REDACT = "redact"
    HOLD = "hold"
    REFUSE = "refuse"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The verdict of one check. `text` is the part of the examined text that may be stored."""

    action: Action
    text: str
    reason: str = ""
    rule: str = ""
    """The check and its rule, such as "injection/override"."""


def refused(verdict: Verdict) -> RefusedError:
    """Return the error that tells a model why its text is not stored."""
    return RefusedError(
        f"it is not stored: {verdict.reason} ({verdict.rule})",
        remedy="write it without that, or let a person store it",
    )
