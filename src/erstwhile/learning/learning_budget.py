"""How much more may be learned in a scope, by group of kinds."""

from __future__ import annotations

from erstwhile.core.kinds import Kind, State
from erstwhile.learning.guard.budget import PROFILE, REST, group_of
from erstwhile.storage.access import Access
from erstwhile.storage.view import View

BUDGETS = {PROFILE: 20_000, REST: 400_000}
"""Characters of live facts that were learned and that nobody has confirmed."""


def room_left(access: Access) -> dict[str, int]:
    """The budget of each group without what is taken of it."""
    room = dict(BUDGETS)
    for kind, characters in access.ask(_taken):
        room[group_of(Kind(kind))] -= int(characters)
    return room


def _taken(view: View) -> list[tuple[str, int]]:
    return [(row[0], row[1]) for row in view.rows("characters_learned", {}, State.LIVE, "own")]
