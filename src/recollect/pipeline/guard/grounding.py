"""Grounding: a fact may say only what was said, and answers to whoever said it.

What must be found in the turn, letter for letter up to inflection, are the names and the numbers of
a candidate; of its other words, half. The lines of the user are looked at first, then the
assistant's with them, then those of tools: the first that suffice are the lineage, and the least
trusted of them gives the origin. Lines do not suffice if less trusted ones say clearly more of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from recollect.model.candidate import Candidate
from recollect.model.kinds import Origin
from recollect.model.turn import TRUSTED_FIRST, Line, Turn, least_trusted
from recollect.model.verdict import Action, Verdict
from recollect.pipeline.guard.claim import Claim, Said


def lineage(candidate: Candidate, turn: Turn) -> tuple[Line, ...]:
    """The lines in which the candidate's content is found; none if the turn does not say it."""
    claim, names = Claim.of(candidate), _known(turn)
    whole = Said.of(turn.lines, names)
    for count in range(1, len(TRUSTED_FIRST) + 1):
        lines = [line for line in turn.lines if line.role in TRUSTED_FIRST[:count]]
        if lines and claim.is_said_by(Said.of(lines, names), among=whole):
            touched = tuple(line for line in lines if claim.touches(Said.of([line], ())))
            return touched or (lines[-1],)
    return ()


def check(candidate: Candidate, turn: Turn, lines: Sequence[Line]) -> Iterator[Verdict]:
    """What follows from the lineage: nobody said it, only a tool did, or it cannot be compared."""
    text, claim = candidate.text, Claim.of(candidate)
    said = Said.of(turn.lines, _known(turn))
    if not lines:
        missing = ", ".join(claim.missing_in(said)) or "most of its words"
        reason = f"the turn does not say it: {missing}"
        yield Verdict(action=Action.REFUSE, text=text, reason=reason, rule="grounding/unsaid")
    elif not claim.is_comparable(said):
        reason = "it is written in another script than the turn"
        yield Verdict(action=Action.HOLD, text=text, reason=reason, rule="grounding/script")
    elif least_trusted(lines) is Origin.TOOL:
        reason = "only a tool said it"
        yield Verdict(action=Action.HOLD, text=text, reason=reason, rule="lineage/tool")


def _known(turn: Turn) -> tuple[str, ...]:
    """Whose turn it is need not be said in it."""
    scope = turn.scope
    return tuple(name for name in (scope.user, scope.agent, scope.project) if name)
