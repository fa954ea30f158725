"""The rules that turn past judgements into advice for a request.

1. The last word of a person on exactly this input decides: a denial denies, a permission allows.
2. A denial of the same act (program, act and target agree) denies.
3. In every other case the advice is to ask a person. Likeness never allows.

Only people and rules judge. What a model, an agent or earlier advice decided, and what was only
observed, changes nothing, however often it was recorded.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from erstwhile.core.denial_policy import DenialPolicy
from erstwhile.decisions.decision import Choice, Decider, FoundBy, Lasting, Suggestion


class PastJudgement(NamedTuple):
    """What a person or a rule decided, and how similar its input is to the request."""

    score: float
    seen_at: int
    number: int
    found_by: FoundBy
    choice: Choice
    decided_by: Decider
    subject: bytes
    """Equal for judgements on exactly the same input."""
    same_goal: bool
    """Whether it was made for exactly the goal of the request."""
    lasts: Lasting
    regretted: bool
    """Whether the outcome was bad."""

    @property
    def denies(self) -> bool:
        return self.choice == Choice.DENY

    @property
    def by_person(self) -> bool:
        return self.decided_by == Decider.PERSON

    @property
    def holds(self) -> bool:
        """Whether it is still valid for the goal of the request."""
        return self.lasts == Lasting.ALWAYS or (self.lasts == Lasting.GOAL and self.same_goal)

    @property
    def allows(self) -> bool:
        """Whether it is a permission that is still valid and had no bad outcome."""
        return self.choice == Choice.ALLOW and self.holds and not self.regretted


class Ruling(NamedTuple):
    """A suggestion, its reason, and the judgements that it rests on, most similar first."""

    suggestion: Suggestion
    reason: str
    judgements: Sequence[PastJudgement]


def judge(found: Sequence[PastJudgement], policy: DenialPolicy) -> Ruling:
    """Return the ruling of all judgements on the same tool that are similar to a request."""
    similar = sorted(found, reverse=True)
    exact = (each for each in found if each.found_by is FoundBy.SAME and each.by_person)
    word = max(exact, key=_time, default=None)
    since = _time(word) if word else (0, 0)
    later = [each for each in similar if _is_same_act(each) and _time(each) > since]
    if word is not None and word.denies and word.holds:
        return Ruling(Suggestion.DENY, "a person denied exactly this", [word])
    if denials := _denials(_standing(later), policy):
        return Ruling(Suggestion.DENY, _denial_reason(denials), denials)
    if word is not None and word.allows and not any(each.denies for each in later):
        return Ruling(Suggestion.ALLOW, "a person allowed exactly this", [word])
    return Ruling(Suggestion.ASK, _ask_reason(similar), similar)


def _standing(found: Sequence[PastJudgement]) -> list[PastJudgement]:
    """Return the judgements that still hold: a person's last word on an input ends others."""
    words: dict[bytes, PastJudgement] = {}
    for each in sorted(found, key=_time):
        if each.by_person:
            words[each.subject] = each
    return [
        each for each in found if each.holds and each.choice == words.get(each.subject, each).choice
    ]


def _denials(standing: Sequence[PastJudgement], policy: DenialPolicy) -> list[PastJudgement]:
    """Return the denials of the same act if there are enough; people outvote rules."""
    voters = [each for each in standing if each.by_person] or standing
    denials = [each for each in voters if each.denies]
    enough = len(denials) >= max(policy.denials, policy.share * len(voters))
    return denials if enough else []


def _is_same_act(judgement: PastJudgement) -> bool:
    return judgement.found_by in (FoundBy.SAME, FoundBy.ACT)


def _time(judgement: PastJudgement) -> tuple[int, int]:
    return judgement.seen_at, judgement.number


def _denial_reason(denials: Sequence[PastJudgement]) -> str:
    who = "a person" if denials[0].by_person else "a rule"
    times = "" if len(denials) == 1 else f" {len(denials)} times"
    return f"{who} denied the same act{times}"


def _ask_reason(similar: Sequence[PastJudgement]) -> str:
    if not similar:
        return "no past decision is similar"
    counts = {choice: sum(each.choice == choice for each in similar) for choice in Choice}
    summary = ", ".join(f"{count} {choice}" for choice, count in counts.items() if count)
    return f"similar past decisions are not enough to decide ({summary})"
