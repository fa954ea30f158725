"""Weigh what rules and the network say about a proposal.

A rule that takes a statement for a conclusion is evidence, and so is what the network reads. Each
counts as much as it did on labelled turns: `evidence.toml` has the logarithms of odds. For what is
said of the user, rules about questions, conditions, plans and jokes are evidence, too. Other rules
decide: those about who spoke, about names, numbers and dates that nobody said, about secrets and
orders to a model.

A second look of the model decides what is evidence otherwise: it understands the words.

Where a tool or a pasted text is in the turn, the network and the second look may only object. A
model that obeys a stranger can quote any words of the user.
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
from erstwhile.learning.reconcile.naming import shared
from erstwhile.learning.second_look.answers import FactFate, Support
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
_LOOKED_ALIKE = 0.05
"""The same for a second look, which understands the words, but may obey as well."""
_ABOUT = 0.1
"""The same for a known fact that a second look ends. "I bought a lamp" has 0.08 with an allergy."""


def weighed(
    candidate: Candidate, verdicts: Iterable[Verdict]
) -> tuple[Candidate, tuple[Verdict, ...]]:
    """Return the verdicts without the rules that are outweighed, or with one more that objects.

    The candidate keeps the names of the rules that are left out.
    """
    found = tuple(verdicts)
    holds = [each for each in found if each.action is Action.HOLD]
    rules = tuple(dict.fromkeys(each.rule for each in holds))
    if not is_evidence(rules, candidate.text, ends=candidate.ends):
        return candidate, found
    # Reconciliation weighs an ending against its fact.
    said = candidate.ends or _is_said(candidate, rules, believed=not holds)
    if not said and not holds:
        return candidate, (*found, _objection(candidate))
    if not (said and _may_confirm(candidate) and _is_read(candidate)):
        return candidate, found
    kept = tuple(each for each in found if each not in holds)
    return replace(candidate, outweighed=rules), kept


def _is_said(candidate: Candidate, rules: Sequence[str], *, believed: bool) -> bool:
    """Return whether words say a statement. A second look decides, if there was one.

    To outweigh rules, the words must be about the same.
    """
    told, reading = candidate.second_look.support, candidate.reading
    if told is not None:
        return told is Support.SAID and (believed or _is_close(candidate, _LOOKED_ALIKE))
    if reading is None or reading.support is None:
        return believed
    said = _holds("support", reading.support, rules, believed=believed)
    return said and (believed or _is_close(candidate, _ALIKE))


def _is_close(candidate: Candidate, least: float) -> bool:
    """Return whether words and statement are alike; without the network, by words of both."""
    if candidate.reading is None:
        return bool(shared(candidate.text, candidate.sentence))
    return candidate.reading.likeness >= least


def _may_confirm(candidate: Candidate) -> bool:
    """Return whether the network or a second look may outweigh what the rules say.

    A model that obeys a stranger would confirm its words, so they must not be before it.
    """
    looked = candidate.second_look.support is not None or bool(candidate.second_look.fates)
    return candidate.is_plain if looked else candidate.is_alone


def _is_read(candidate: Candidate) -> bool:
    """Return whether the network or a second look has judged the candidate."""
    look = candidate.second_look
    return candidate.reading is not None or look.support is not None or bool(look.fates)


def is_evidence(rules: Iterable[str], text: str, *, ends: bool) -> bool:
    """Return whether rules that object to a statement or its end can be outweighed."""
    return (_MEANINGS if ends or not names_user(text) else _MEANINGS | _MOODS).issuperset(rules)


def _objection(candidate: Candidate) -> Verdict:
    told = candidate.second_look.support
    reason, rule = "its words do not seem to say it", "reading/unsaid"
    if told not in (None, Support.SAID):
        reason, rule = f"asked again, the model calls it: {told}", f"second look/{told}"
    return Verdict(action=Action.HOLD, text=candidate.text, reason=reason, rule=rule)


def is_over(
    candidate: Candidate, fact: Fact, evidence: Sequence[str], *, believed: bool
) -> bool | None:
    """Return whether a fact is over by words, the network and what rules found; None if unread.

    `believed` is whether the rules say so. A second look decides, if there was one.
    """
    told = candidate.second_look.fates.get(fact.id)
    fate, name = _fate_of(candidate, fact), "ending" if candidate.ends else "replacing"
    if told is FactFate.GOES_ON:
        return False
    if told is not None:
        return True if candidate.is_plain and _is_about(candidate, fact) else None
    if fate is None:
        return None
    if not _MOODS.isdisjoint(candidate.outweighed):
        return False  # what may be a question or a joke replaces nothing: both stay
    rules, believed = candidate.outweighed or evidence, believed and not candidate.outweighed
    over = _holds(name, fate.over, rules, believed=believed)
    return over if not over or _may_outweigh(candidate) else None


def _is_about(candidate: Candidate, fact: Fact) -> bool:
    """Return whether the words, or what should take its place, have to do with a fact.

    A second look alone must not end whatever a model names.
    """
    new = "" if candidate.ends else candidate.text
    if shared(fact.text, f"{candidate.sentence} {new}"):
        return True
    fate = _fate_of(candidate, fact)
    return fate is not None and (fate.likeness >= _ABOUT or fate.over >= 0)


def _may_outweigh(candidate: Candidate) -> bool:
    """Return whether the network may say that a fact is over, whatever the rules say.

    A statement that names several facts often replaces one of them, and the network cannot tell
    which.
    """
    several = not candidate.ends and len(candidate.replaces) > 1
    return candidate.is_alone and not several


def was_never_so(candidate: Candidate, fact: Fact, *, told: bool) -> bool:
    """Return whether a fact that ends was wrong; `told` is whether a rule finds a correction."""
    looked, fate = candidate.second_look.fates.get(fact.id), _fate_of(candidate, fact)
    if looked is not None and candidate.is_plain:
        return looked is FactFate.NEVER_SO
    return told or (fate is not None and _holds("wrong", fate.wrong, (), believed=False))


def is_weighed(candidate: Candidate, fact: Fact) -> bool:
    """Return whether the doubts about a fact's end are evidence that was weighed already."""
    if fact.id in candidate.second_look.fates:
        return candidate.is_plain and _is_about(candidate, fact)
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
