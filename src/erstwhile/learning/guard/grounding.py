"""Grounding: a fact may say only what was said, and answers to whoever said it.

What must be found in the turn, letter for letter up to inflection, are the names and the numbers of
a candidate; of its other words, half. The lines of the user are looked at first, then those of
tools by themselves, then the user's with the assistant's, then all: the first that suffice are the
lineage, and the least trusted of them gives the origin. Lines do not suffice if others say clearly
more of it; but an assistant that puts in its own words what a tool said lends that no trust.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from erstwhile.conversations.conversation import Role
from erstwhile.core.kinds import Origin
from erstwhile.learning.candidate import Candidate
from erstwhile.learning.guard.grounds import CandidateContent, TurnText
from erstwhile.learning.turn import TRUSTED_FIRST, Turn, TurnLine, least_trusted
from erstwhile.learning.verdict import Action, Verdict

_TOOLS = (Role.TOOL,)
_ASKED_IN_TURN = ((Role.USER,), _TOOLS, (Role.USER, Role.ASSISTANT), TRUSTED_FIRST)
"""Whose lines may suffice; those of tools by themselves come before the assistant's."""


def lineage(candidate: Candidate, turn: Turn) -> tuple[TurnLine, ...]:
    """The lines in which the candidate's content is found; none if the turn does not say it."""
    content, names = CandidateContent.of(candidate), _known(turn)
    whole = TurnText.of(turn.lines, names)
    for roles in _ASKED_IN_TURN:
        lines = [line for line in turn.lines if line.role in roles]
        said = TurnText.of(lines, names)
        drawn = roles == _TOOLS and content.is_drawn_from(said)
        if lines and (drawn or content.is_said_by(said, among=whole)):
            touched = tuple(line for line in lines if content.touches(TurnText.of([line], ())))
            return touched or (lines[-1],)
    return ()


def check(candidate: Candidate, turn: Turn, lines: Sequence[TurnLine]) -> Iterator[Verdict]:
    """What follows from the lineage: nobody said it, a tool did, or it cannot be compared."""
    text, content = candidate.text, CandidateContent.of(candidate)
    said = TurnText.of(turn.lines, _known(turn))
    if not lines:
        missing = ", ".join(content.missing_in(said)) or "most of its words"
        reason = f"the turn does not say it: {missing}"
        yield Verdict(action=Action.REFUSE, text=text, reason=reason, rule="grounding/unsaid")
    elif not content.is_comparable(said):
        reason = "it is written in another script than the turn"
        yield Verdict(action=Action.HOLD, text=text, reason=reason, rule="grounding/script")
    elif least_trusted(lines) is Origin.TOOL:
        reason = "a tool said it, and the user did not"
        yield Verdict(action=Action.HOLD, text=text, reason=reason, rule="lineage/tool")


def _known(turn: Turn) -> tuple[str, ...]:
    """Whose turn it is need not be said in it."""
    scope = turn.scope
    return tuple(name for name in (scope.user, scope.agent, scope.project) if name)
