"""Grounding: the turn must contain the content of a fact, and its lines give the origin.

All names and numbers of a candidate must be found in the turn, up to inflection, and half of its
other words. The lines of the user are searched first, then those of tools alone, then those of the
user and the assistant, then all lines. The first group that suffices is the lineage. The least
trusted of its lines gives the origin. A group does not suffice if other lines contain clearly more
of the candidate. An assistant that repeats a tool in its own words adds no trust to it.
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
_GROUPS = ((Role.USER,), _TOOLS, (Role.USER, Role.ASSISTANT), TRUSTED_FIRST)
"""The groups of roles, in the order of the search."""


def lineage(candidate: Candidate, turn: Turn) -> tuple[TurnLine, ...]:
    """Return the lines that contain the candidate's content; empty if the turn lacks it."""
    content, names = CandidateContent.of(candidate), _scope_names(turn)
    whole = TurnText.of(turn.lines, names)
    for roles in _GROUPS:
        lines = [line for line in turn.lines if line.role in roles]
        turn_text = TurnText.of(lines, names)
        drawn = roles == _TOOLS and content.is_drawn_from(turn_text)
        if lines and (drawn or content.is_said_by(turn_text, among=whole)):
            touched = tuple(line for line in lines if content.touches(TurnText.of([line], ())))
            return touched or (lines[-1],)
    return ()


def check(candidate: Candidate, turn: Turn, lines: Sequence[TurnLine]) -> Iterator[Verdict]:
    """Yield a verdict if the turn lacks the content, only a tool has it, or scripts differ."""
    text, content = candidate.text, CandidateContent.of(candidate)
    turn_text = TurnText.of(turn.lines, _scope_names(turn))
    if not lines:
        missing = ", ".join(content.missing_in(turn_text)) or "most of its words"
        reason = f"the turn does not say it: {missing}"
        yield Verdict(action=Action.REFUSE, text=text, reason=reason, rule="grounding/unsaid")
    elif not content.is_comparable(turn_text):
        reason = "it is not in the script of the turn"
        yield Verdict(action=Action.HOLD, text=text, reason=reason, rule="grounding/script")
    elif least_trusted(lines) is Origin.TOOL:
        reason = "a tool said it, and the user did not"
        yield Verdict(action=Action.HOLD, text=text, reason=reason, rule="lineage/tool")


def _scope_names(turn: Turn) -> tuple[str, ...]:
    """Return the names of the scope, which need not be in the turn."""
    scope = turn.scope
    return tuple(name for name in (scope.user, scope.agent, scope.project) if name)
