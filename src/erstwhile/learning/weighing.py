"""Weigh what rules and the network say about a proposal.

A rule that takes a statement for a conclusion is evidence, and so is what the network reads. Each
counts as much as it did on labelled turns: `evidence.toml` has the logarithms of odds. For what is
said of the user, rules about questions, conditions, plans and jokes are evidence, too. Other rules
decide: those about who spoke, about names, numbers and dates that nobody said, about secrets and
orders to a model.

Where a tool or a pasted text is in the turn, the network may only object. A model that obeys a
stranger can quote any words of the user.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from erstwhile.facts.fact import Fact
from erstwhile.learning.candidate import Candidate
from erstwhile.learning.grounding.people import names_user
from erstwhile.learning.verdict import Action, Verdict

if TYPE_CHECKING:
    from erstwhile.learning.reading.reader import ReadFate

_MEANINGS = frozenset(
    f"grounding/{name}" for name in ("concluded", "denied", "elsewhere", "unended", "unfounded")
)
"""Rules that compare meanings, as the network does."""
_MOODS = frozenset(
    f"grounding/{name}"
    for name in (
        *("question", "condition", "plan", "guess", "past", "report", "jest"),
        *("others", "temporary"),
    )
)
"""Rules about the sentence around the words. People tell of themselves in questions, too: "Any
light theme for VS Code?". What is so of other things is not stated by asking for it. Orders such as
"translate this", and stories, decide: they may hand on the words of others."""
_ALIKE = 0.15
"""How much alike words and a statement must be, at least, for the network to outweigh a rule. A
model that obeys a stranger may quote words that have nothing to do with it."""


def weighed(
    candidate: Candidate, verdicts: Iterable[Verdict]
) -> tuple[Candidate, tuple[Verdict, ...]]:
    """Return the verdicts without the rules that are outweighed, or with one more that objects.

    The candidate keeps the names of the rules that are left out.
    """
    found, reading = tuple(verdicts), candidate.reading
    holds = [each for each in found if each.action is Action.HOLD]
    rules = tuple(dict.fromkeys(each.rule for each in holds))
    if reading is None or not is_evidence(rules, candidate.text, ends=candidate.ends):
        return candidate, found
    # Reconciliation weighs an ending against its fact.
    said = candidate.ends or _holds("support", reading.support or 0.0, rules, believed=not holds)
    if not said and not holds:
        return candidate, (*found, _objection(candidate))
    is_close = candidate.ends or reading.likeness >= _ALIKE
    if not (said and is_close and reading.is_alone):
        return candidate, found
    kept = tuple(each for each in found if each not in holds)
    return replace(candidate, outweighed=rules), kept


def is_evidence(rules: Iterable[str], text: str, *, ends: bool) -> bool:
    """Return whether the network can outweigh rules that object to a statement or its end."""
    return (_MEANINGS if ends or not names_user(text) else _MEANINGS | _MOODS).issuperset(rules)


def _objection(candidate: Candidate) -> Verdict:
    reason, rule = "its words do not seem to say it", "reading/unsaid"
    return Verdict(action=Action.HOLD, text=candidate.text, reason=reason, rule=rule)


def is_over(
    candidate: Candidate, fact: Fact, evidence: Sequence[str], *, believed: bool
) -> bool | None:
    """Return whether a fact is over by words, the network and what rules found; None if unread.

    `believed` is whether the rules say so.
    """
    fate = _fate_of(candidate, fact)
    if fate is None or candidate.reading is None:
        return None
    if not _MOODS.isdisjoint(candidate.outweighed):
        return False  # what may be a question or a joke replaces nothing: both stay
    name = "ending" if candidate.ends else "replacing"
    rules, believed = candidate.outweighed or evidence, believed and not candidate.outweighed
    over = _holds(name, fate.over, rules, believed=believed)
    return over if not over or _may_outweigh(candidate) else None


def _may_outweigh(candidate: Candidate) -> bool:
    """Return whether the network may say that a fact is over, whatever the rules say.

    A statement that names several facts often replaces one of them, and the network cannot tell
    which.
    """
    several = not candidate.ends and len(candidate.replaces) > 1
    return candidate.reading is not None and candidate.reading.is_alone and not several


def was_never_so(candidate: Candidate, fact: Fact, *, told: bool) -> bool:
    """Return whether a fact that ends was wrong; `told` is whether a rule finds a correction."""
    fate = _fate_of(candidate, fact)
    if fate is None:
        return told
    return told or _holds("wrong", fate.wrong, (), believed=False)


def is_weighed(candidate: Candidate, fact: Fact) -> bool:
    """Return whether the doubts about a fact's end are evidence that was weighed already."""
    return _may_outweigh(candidate) and _fate_of(candidate, fact) is not None


def _fate_of(candidate: Candidate, fact: Fact) -> ReadFate | None:
    return None if candidate.reading is None else candidate.reading.fates.get(fact.id)


def _holds(name: str, read: float, evidence: Sequence[str], *, believed: bool) -> bool:
    """Return whether something is so, given what is read, what rules found, and what they say.

    To object to the rules, or to outweigh them, the odds must be clearer than even.
    """
    scale, weights = _table("scales")[name], _table(name) if evidence else {}
    found = sum(float(weights.get(each, 0)) for each in evidence)
    odds = float(scale["factor"]) * read + float(scale["bias"]) + found
    return odds >= float(-scale["objects"] if believed else scale["outweighs"])


@cache
def _table(name: str) -> Any:
    return tomllib.loads((Path(__file__).parent / "evidence.toml").read_text("utf-8"))[name]
