"""Decide the change for one candidate.

| the candidate | the change |
|---|---|
| ends something | END, if it names one fact and may end it; else HOLD or REFUSE |
| repeats a fact | REPEAT; if the assistant says it, REFUSE |
| names the value, the id or the key that it replaces | SUPERSEDE, if the comparison confirms it |
| is another value of a single-valued attribute | SUPERSEDE |
| does so, but may not retire the fact | CONFLICT |
| contradicts a fact, and nothing shows which is true | CONFLICT |
| replaces a fact from a message after this turn | REFUSE |
| is anything else: narrower, of another subject, of another time | ADD |

A candidate from outside is compared only with facts from outside, and never changes trusted facts.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeAlias

from erstwhile.core.kinds import Ending, Origin
from erstwhile.core.text import folded
from erstwhile.facts.fact import Fact
from erstwhile.learning.candidate import Candidate
from erstwhile.learning.change import Act, Change
from erstwhile.learning.reconcile.authority import is_of_another_time, objection
from erstwhile.learning.reconcile.claims import ClaimVerdict, shares_key
from erstwhile.learning.reconcile.compare import compare, says_it_is_current
from erstwhile.learning.reconcile.comparison import (
    Comparison,
    Sense,
    apart,
    changed,
    contradicts,
    same,
)
from erstwhile.learning.reconcile.ended import names_as_over
from erstwhile.learning.reconcile.fuller import says_same_and_more
from erstwhile.learning.reconcile.slips import is_respelling, takes_back
from erstwhile.learning.reconcile.statement import StatementPart, names_in, read
from erstwhile.learning.reconcile.subject import says_less
from erstwhile.learning.second_look.answers import FactFate
from erstwhile.learning.weighing import was_never_so

Claims: TypeAlias = Mapping[str, ClaimVerdict]
"""The verdicts on the facts that a candidate claims to retire, by their ids."""
RETIRING = (Act.SUPERSEDE, Act.END)
_BESIDE = re.compile(r"[,，、;；&]|\b(?:and|or|as well as|plus)\b|[和或与跟]|以及", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Finding:
    """The comparison of the candidate with one fact."""

    fact: Fact
    result: Comparison
    explicit: bool = False
    """Whether the candidate itself names the fact, its value or its key."""


def decide(
    candidate: Candidate,
    facts: Sequence[Fact],
    claims: Claims,
    *,
    now: datetime,
    said_later: Collection[str] = (),
) -> Change:
    """Return the change for one candidate; `facts` are the facts of its scope that are true now."""
    change = _decided(candidate, facts, claims, now)
    if change.act not in RETIRING:
        return change
    if not {fact.id for fact in change.facts}.isdisjoint(said_later):
        return _refused(candidate, "the fact is from a later message")
    respelled = not candidate.ends and all(is_respelling(candidate, each) for each in change.facts)
    wrong = all(
        was_never_so(candidate, each, told=respelled or takes_back(candidate, each))
        for each in change.facts
    )
    return replace(change, ending=Ending.WRONG) if wrong else change


def _decided(candidate: Candidate, facts: Sequence[Fact], claims: Claims, now: datetime) -> Change:
    peers = [fact for fact in facts if fact.trust is candidate.origin.trust]
    if candidate.ends:
        return _ending(candidate, peers, claims, now)
    if candidate.origin is Origin.AGENT and any(_says_the_same(candidate, fact) for fact in facts):
        return _refused(candidate, "no new evidence")
    found = [_finding(candidate, fact, claims.get(fact.id)) for fact in peers]
    if is_of_another_time(candidate, now):
        found = [_apart(each) for each in found]
    change = _change(candidate, found, now)
    return replace(change, because="; ".join((change.because, *_ignored(candidate, peers, claims))))


def _change(candidate: Candidate, found: Sequence[_Finding], now: datetime) -> Change:
    twins = _of(found, Sense.SAME)
    giving_way = [each for each in _of(found, Sense.CHANGED) if each.explicit or not twins]
    held = {each.fact.id: _objection(candidate, each.fact, now) for each in giving_way}
    free = [each for each in giving_way if held[each.fact.id] is None]
    if free:
        return _touching(Act.SUPERSEDE, candidate, free)
    if twins:
        verbatim = [each for each in twins if folded(each.fact.text) == folded(candidate.text)]
        return _touching(Act.REPEAT, candidate, (verbatim or twins)[:1])
    doubts = [replace(each, result=contradicts(f"{held[each.fact.id]}")) for each in giving_way]
    return _beside(candidate, [*doubts, *_of(found, Sense.CONTRADICTS)], found)


def _beside(candidate: Candidate, doubts: Sequence[_Finding], found: Sequence[_Finding]) -> Change:
    """Return a conflict or an addition. The candidate loses its key if a fact has it."""
    if any(shares_key(candidate, each.fact) for each in found):
        candidate = replace(candidate, key=None)
    if doubts:
        return _touching(Act.CONFLICT, candidate, doubts)
    near = next((each.result.because for each in found if each.result.because), "new")
    return Change(act=Act.ADD, candidate=candidate, because=near)


def _touching(act: Act, candidate: Candidate, found: Sequence[_Finding]) -> Change:
    facts = tuple(each.fact for each in found)
    return Change(act=act, candidate=candidate, facts=facts, because=found[0].result.because)


def _of(found: Iterable[_Finding], sense: Sense) -> list[_Finding]:
    return [each for each in found if each.result.sense is sense]


def _finding(candidate: Candidate, fact: Fact, claim: ClaimVerdict | None) -> _Finding:
    result = compare(candidate.text, fact.text, candidate.instead_of)
    if result.sense is Sense.SAME:
        return _Finding(fact, result)
    if claim is ClaimVerdict.HOLDS:
        held = _value_of_key(candidate, fact) if shares_key(candidate, fact) else changed(claim)
        return _Finding(fact, held, explicit=True)
    if claim is ClaimVerdict.BESIDE:
        return _Finding(fact, apart(claim))
    goes_on = candidate.second_look.fates.get(fact.id) is FactFate.GOES_ON
    if claim is ClaimVerdict.DOUBTFUL and (goes_on or result.sense is Sense.APART):
        return _Finding(fact, contradicts(claim))
    if result.sense in (Sense.APART, Sense.CONTRADICTS) and _may_be_merged(candidate, fact):
        if says_same_and_more(fact.text, candidate.text, fact.kind):
            return _Finding(fact, same("the fact says the same and more"))
        if says_same_and_more(candidate.text, fact.text, candidate.kind):
            return _Finding(fact, changed("it says the same and more"))
    return _Finding(fact, result, explicit=bool(candidate.instead_of))


def _may_be_merged(candidate: Candidate, fact: Fact) -> bool:
    """Return whether one of two copies is enough: patterns repeat the user's own words."""
    by_patterns = bool(candidate.found_by) and not candidate.by_model
    return by_patterns and fact.key is None is candidate.key and not fact.pinned


def _value_of_key(candidate: Candidate, fact: Fact) -> Comparison:
    if says_less(candidate.text, fact.text):
        return contradicts("it has less content than the value of its key")
    return changed("another value of its key")


def _apart(finding: _Finding) -> _Finding:
    """Return a finding without a conflict: both are true at different times. Keep a repetition."""
    if finding.result.sense is Sense.SAME:
        return finding
    return replace(finding, result=apart("of another time"))


def _ignored(candidate: Candidate, facts: Sequence[Fact], claims: Claims) -> Iterable[str]:
    """Yield the reasons why a claimed replacement was not accepted."""
    known = {name for fact in facts for name in (fact.id, fact.short_id)}
    for id in candidate.replaces:
        if id not in known:
            yield f"{id} is not an open fact of this scope"
    told = (ClaimVerdict.HOLDS, ClaimVerdict.DOUBTFUL)
    yield from (f"{claim}" for claim in claims.values() if claim not in told)


def _says_the_same(candidate: Candidate, fact: Fact) -> bool:
    return compare(candidate.text, fact.text).sense is Sense.SAME


def _objection(candidate: Candidate, fact: Fact, now: datetime) -> str | None:
    names_the_old = bool(candidate.instead_of or candidate.replaces)
    current = names_the_old or says_it_is_current(candidate.text)
    return objection(candidate, fact, current=current, now=now)


def _ending(candidate: Candidate, facts: Sequence[Fact], claims: Claims, now: datetime) -> Change:
    held = [fact for fact in facts if claims.get(fact.id) is ClaimVerdict.HOLDS]
    found = held if candidate.replaces else _ended_facts(candidate, facts)
    if len(found) != 1:
        many = "it names several facts that end" if found else "it names no fact that ends"
        return _not_ending(candidate, "; ".join((many, *map(str, claims.values()))))
    reason = objection(candidate, found[0], current=True, now=now)
    if reason is not None:
        return replace(_not_ending(candidate, reason), facts=tuple(found))
    return Change(act=Act.END, candidate=candidate, facts=tuple(found), because="it ended")


def _not_ending(candidate: Candidate, because: str) -> Change:
    """Return an ending in doubt: a person may still approve it if it names its fact."""
    held = candidate.by_model and candidate.replaces
    return Change(act=Act.HOLD if held else Act.REFUSE, candidate=candidate, because=because)


def _refused(candidate: Candidate, because: str) -> Change:
    return Change(act=Act.REFUSE, candidate=candidate, because=because)


def _ended_facts(candidate: Candidate, facts: Sequence[Fact]) -> list[Fact]:
    """Return the facts with the same content; if there are none, the facts with more content.

    A user without a dog has no dog called Rex, but a user without the dog Rex may have a dog. A
    fact that lists more things than the candidate is not returned: a user who no longer likes rock
    may still like jazz.
    """
    if candidate.instead_of or (candidate.key and candidate.value is None):
        return [fact for fact in facts if names_as_over(candidate, fact)]
    equal = [fact for fact in facts if compare(candidate.text, fact.text).sense is Sense.SAME]
    return equal or [fact for fact in facts if _says_more(fact.text, candidate.text)]


def _says_more(text: str, than: str) -> bool:
    names = names_in(text, than)
    long, short = read(text, names), read(than, names)
    if long.manner != short.manner or not short.parts or _lists(text) > _lists(than):
        return False
    return all(any(_holds(part, piece) for part in long.parts) for piece in short.parts)


def _lists(text: str) -> int:
    """Return how many further things a text lists."""
    return len(_BESIDE.findall(text))


def _holds(part: StatementPart, piece: StatementPart) -> bool:
    """Return whether the part has all words of the piece, in order and from the same beginning."""
    rest = iter(part.words)
    in_order = all(word in rest for word in piece.words)
    return in_order and part.words[:1] == piece.words[:1] and part.negated == piece.negated
