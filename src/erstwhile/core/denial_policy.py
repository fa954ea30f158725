"""When denials of the same act deny a tool call, and the setting that says so."""

from __future__ import annotations

import re
from dataclasses import dataclass

from erstwhile.core.errors import InvalidInputError

SAME_ACT = 0.75
"""The score of a call that contains the act of another one among very much else."""
_PARTS = {
    "denials": re.compile(r"(\d{1,9})\s*denials?"),
    "share": re.compile(r"share\s*(\d(?:\.\d+)?)"),
    "floor": re.compile(r"floor\s*(\d(?:\.\d+)?)"),
}
_ACCEPTED = "write '1 denial', 'share 0.6', 'floor 0.75', or several with commas between them"


@dataclass(frozen=True, slots=True, kw_only=True)
class DenialPolicy:
    """When denials of the same act deny a request."""

    denials: int = 1
    """The fewest denials."""
    share: float = 0.6
    """The smallest share of denials among all judgements on the same act."""
    floor: float = SAME_ACT
    """The lowest score of a precedent; 1 means exactly this input."""

    def __post_init__(self) -> None:
        if isinstance(self.denials, bool) or not isinstance(self.denials, int) or self.denials < 1:
            raise InvalidInputError(f"denials must be a whole number from 1, not {self.denials!r}")
        for name in ("share", "floor"):
            if not 0 <= getattr(self, name) <= 1:
                raise InvalidInputError(
                    f"{name} must lie between 0 and 1, not {getattr(self, name)!r}"
                )


def parse_denials(text: str) -> DenialPolicy:
    """Parse the setting `denials`. A part that is left out has its default."""
    given: dict[str, float] = {}
    parts = text.split(",") if isinstance(text, str) else [""]
    for part in map(str.strip, parts):
        found = ((name, rule.fullmatch(part.lower())) for name, rule in _PARTS.items())
        name, match = next(((name, match) for name, match in found if match), ("", None))
        if match is None or name in given:
            raise InvalidInputError(f"denials is not understood: {text!r}", remedy=_ACCEPTED)
        given[name] = int(match[1]) if name == "denials" else float(match[1])
    return DenialPolicy(**given)  # type: ignore[arg-type]
