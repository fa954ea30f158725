"""Mark what a person decided according to a file, unless somebody vouches for the file.

Whoever can write a file can write into it that a person allowed something. A marked decision allows
nothing, and denies only as a rule does.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from erstwhile.decisions.decision import Decider


def unvouched(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row of the table of decisions as it is if nobody vouches for it."""
    vouched = 0 if row["decided_by"] == Decider.PERSON else row["vouched"]
    return {**row, "vouched": vouched}
