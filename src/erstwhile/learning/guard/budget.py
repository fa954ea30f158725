"""Budgets: how much may be learned, by group, so that chatter cannot crowd out who somebody is.

They bound what is stored. What of it goes into a prompt is another matter, with budgets of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from erstwhile.core.kinds import Kind
from erstwhile.learning.candidate import Candidate
from erstwhile.learning.verdict import Action, Verdict

PROFILE, REST = "profile", "rest"
"""Who somebody is and what they like; and everything else."""
_PROFILE_KINDS = frozenset({Kind.PROFILE, Kind.PREFERENCE})


def group_of(kind: Kind) -> str:
    """The group whose budget a fact of this kind takes from."""
    return PROFILE if kind in _PROFILE_KINDS else REST


def check(candidate: Candidate, room: Mapping[str, int]) -> Iterator[Verdict]:
    """A group that `room` does not name has no budget; saying that something ended is free."""
    group, text = group_of(candidate.kind), candidate.text
    left = room.get(group)
    if left is not None and len(text) > left and not candidate.ends:
        reason = f"{len(text):,} characters, and the group {group!r} has room for {max(left, 0):,}"
        yield Verdict(action=Action.HOLD, text=text, reason=reason, rule=f"budget/{group}")
