"""Budgets: how many characters may be learned per group of kinds and scope.

They bound the stored facts, so that chatter cannot crowd out the profile of a person. A prompt has
budgets of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from erstwhile.core.kinds import Kind, State
from erstwhile.learning.candidate import Action, Candidate, Verdict
from erstwhile.storage.access import Access

PROFILE, REST = "profile", "rest"
"""The groups: profile, preferences and instructions of a person, and all other kinds."""
BUDGETS = {PROFILE: 20_000, REST: 400_000}
"""The budget of each group: characters of live learned facts that are not confirmed."""
_PROFILE_KINDS = frozenset({Kind.PROFILE, Kind.PREFERENCE, Kind.INSTRUCTION})


def group_of(kind: Kind) -> str:
    """Return the group whose budget a fact of this kind uses."""
    return PROFILE if kind in _PROFILE_KINDS else REST


def room_left(access: Access) -> dict[str, int]:
    """Return the unused characters of each group."""
    room = dict(BUDGETS)
    for kind, characters in access.ask(
        lambda view: view.rows("characters_learned", {}, State.LIVE, "own")
    ):
        room[group_of(Kind(kind))] -= int(characters)
    return room


def check(candidate: Candidate, room: Mapping[str, int]) -> Iterator[Verdict]:
    """Hold a candidate that is longer than the room left for its group.

    A group that is not in `room` has no limit. A candidate that ends a fact needs no room.
    """
    group, text = group_of(candidate.kind), candidate.text
    left = room.get(group)
    if left is not None and len(text) > left and not candidate.ends:
        reason = f"{len(text):,} characters, and the group {group!r} has room for {max(left, 0):,}"
        yield Verdict(action=Action.HOLD, text=text, reason=reason, rule=f"budget/{group}")
