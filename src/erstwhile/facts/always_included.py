"""Facts that matter whatever is asked."""

from __future__ import annotations

from erstwhile.core.kinds import State
from erstwhile.facts.fact import Fact
from erstwhile.facts.rows import to_fact
from erstwhile.storage.view import View

PINNED = "pinned"


def standing(view: View, which: str, limit: int) -> list[Fact]:
    """The newest that are pinned, or of the kind `profile`, `project` or `environment`."""
    return [to_fact(row) for row in view.rows("list_standing", {"limit": limit}, which, State.LIVE)]
