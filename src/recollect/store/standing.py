"""Facts that matter whatever is asked."""

from __future__ import annotations

from recollect.model.fact import Fact
from recollect.model.kinds import State
from recollect.store.fact_rows import to_fact
from recollect.store.view import View

PINNED = "pinned"


def standing(view: View, which: str, limit: int) -> list[Fact]:
    """The newest that are pinned, or of the kind `profile`, `project` or `environment`."""
    return [to_fact(row) for row in view.rows("list_standing", {"limit": limit}, which, State.LIVE)]
