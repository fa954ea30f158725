"""Judge the claims of a model that a candidate replaces or ends facts.

A claim is evidence, not a decision. It is believed if the sentence that the candidate rests on
supports it: the sentence says that something changed, ended or was wrong, or the candidate is
another value of what has one value at a time. Of several facts that are claimed for one sentence,
those count that it names best.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from erstwhile.core.text import folded
from erstwhile.facts.fact import Fact
from erstwhile.learning.candidate import Candidate
from erstwhile.learning.grounding.endings import speaks_of_end
from erstwhile.learning.grounding.languages import is_other_language
from erstwhile.learning.grounding.word_lists import asks_to_forget
from erstwhile.learning.moods import (
    adds_beside,
    clauses_around,
    corrects,
    denials,
    denies_end,
    ending_clauses,
    going_on,
    over_clauses,
    says_change,
)
from erstwhile.learning.moods.sentences import clauses, sentences
from erstwhile.learning.reconcile.authority import doubt_of, says_over
from erstwhile.learning.reconcile.compare import compare, other_number_only
from erstwhile.learning.reconcile.comparison import SEVERAL, Sense
from erstwhile.learning.reconcile.naming import content, shared
from erstwhile.learning.reconcile.slips import is_respelling
from erstwhile.learning.reconcile.subject import (
    is_former_or_ahead,
    may_have_several,
    of_one_subject,
    says_less,
)
from erstwhile.learning.weighing import is_over

_OF_KEY = "⟨key⟩"
"""Stands among the words that tie a fact to a candidate with its key."""
_VALUE = 2
"""The most words of a value in which two statements differ."""


class ClaimVerdict(StrEnum):
    """The verdict on a claim. The value is the reason for the audit trail."""

    HOLDS = "it claims to replace the fact"
    DOUBTFUL = "nothing shows that only one of them is true"
    BESIDE = "it adds one more beside the fact"
    GOES_ON = "its sentence says that the fact is still so"
    UNSAID = "its sentence does not say that something ended"
    ELSEWHERE = "the fact that it should replace is about another subject"
    OTHER_KEY = "the fact that it should replace is the value of another key"
    OTHER_TIME = "a past or future statement replaces nothing"
    SAYS_LESS = "the fact that it should replace says more"
    OTHER_FACT = "its sentence is about another fact"


@dataclass(frozen=True, slots=True)
class _Claim:
    """One candidate, one fact that it claims to retire, and the verdict."""

    candidate: int
    sentence: str
    fact: Fact
    tie: frozenset[str]
    """The words by which the turn names the fact."""
    alike: frozenset[str]
    """The words of the fact that the new statement has, too: what both are values of."""
    verdict: ClaimVerdict


def judge_claims(
    candidates: Sequence[Candidate], facts: Sequence[Fact]
) -> list[Mapping[str, ClaimVerdict]]:
    """Return for each candidate of a turn the verdicts on its claims, by the id of the fact."""
    claims = [
        _Claim(at, each.sentence, fact, _tie(each, fact), _alike(each, fact), _verdict(each, fact))
        for at, each in enumerate(candidates)
        for fact in _claimed(each, facts)
    ]
    judged = [
        _against_rivals(claim, claims[:place], claims[place + 1 :])
        for place, claim in enumerate(claims)
    ]
    return [
        {claim.fact.id: _settled(each, claim) for claim in judged if claim.candidate == at}
        for at, each in enumerate(candidates)
    ]


def _settled(candidate: Candidate, claim: _Claim) -> ClaimVerdict:
    """Return the verdict of the rules, unless what the network reads outweighs it.

    What is said not to have ended goes on, whatever the network reads.
    """
    if candidate.ends and _denies_end_of(claim.fact, candidate.sentence):
        return claim.verdict
    doubt = doubt_of(candidate, claim.fact)
    evidence = [claim.verdict.name, *(["DOUBT"] if doubt else [])]
    believed = claim.verdict is ClaimVerdict.HOLDS and doubt is None
    match is_over(candidate, claim.fact, evidence, believed=believed):
        case True:
            return ClaimVerdict.HOLDS
        case False if claim.verdict is ClaimVerdict.HOLDS:
            return ClaimVerdict.UNSAID if candidate.ends else ClaimVerdict.DOUBTFUL
    return claim.verdict


def _claimed(candidate: Candidate, facts: Sequence[Fact]) -> list[Fact]:
    """Return the facts that a model names, in its order, then the values of the key."""
    peers = [fact for fact in facts if fact.trust is candidate.origin.trust]
    named = [fact for id in candidate.replaces for fact in peers if id in (fact.id, fact.short_id)]
    values = [fact for fact in peers if shares_key(candidate, fact) and not candidate.ends]
    return list({fact.id: fact for fact in (*named, *values)}.values())


def shares_key(candidate: Candidate, fact: Fact) -> bool:
    """Return whether candidate and fact have the same key."""
    return candidate.key is not None and folded(candidate.key) == fact.key


def _tie(candidate: Candidate, fact: Fact) -> frozenset[str]:
    # An ending has the text of the fact itself, so only what was said can name the fact.
    said = candidate.sentence if candidate.ends else f"{candidate.sentence} {candidate.text}"
    return shared(fact.text, said) | ({_OF_KEY} if shares_key(candidate, fact) else set())


def _alike(candidate: Candidate, fact: Fact) -> frozenset[str]:
    return frozenset() if candidate.ends else shared(fact.text, candidate.text)


def _verdict(candidate: Candidate, fact: Fact) -> ClaimVerdict:
    if _goes_on(candidate, fact):
        return ClaimVerdict.GOES_ON
    return _of_ending(candidate, fact) if candidate.ends else _of_replacing(candidate, fact)


def _goes_on(candidate: Candidate, fact: Fact) -> bool:
    """Return whether the message says that the fact is as before: "staging is still on AWS"."""
    new = "" if candidate.ends else candidate.text
    over = f"{ending_clauses(candidate.sentence)} {new}"
    return bool(shared(fact.text, going_on(_message(candidate))) - shared(fact.text, over))


def _of_ending(candidate: Candidate, fact: Fact) -> ClaimVerdict:
    """Judge an ending by its own words: they speak of an end, and of this thing or of no other.

    "I sold my car" ends a Honda Civic; "I sold the bike, the car is fine" does not. Another
    statement of the same answer may tell the end in other words.
    """
    said = candidate.sentence
    if _denies_end_of(fact, said):
        return ClaimVerdict.UNSAID
    if candidate.told_beside:
        return ClaimVerdict.HOLDS
    whole = corrects(said) or asks_to_forget(said)
    over = over_clauses(_quoted_clauses(candidate))
    if not over and not whole:
        return ClaimVerdict.UNSAID
    named = shared(fact.text, said if whole else over)
    if named or (says_over(candidate.quote) and not shared(fact.text, said)):
        return ClaimVerdict.HOLDS
    return ClaimVerdict.UNSAID


def _quoted_clauses(candidate: Candidate) -> str:
    """Return the clauses that the quotation of an ending is in; its sentence if it is not found."""
    start = candidate.sentence.find(candidate.quote)
    if start < 0 or not candidate.quote:
        return candidate.sentence
    return clauses_around(candidate.sentence, start, start + len(candidate.quote))


def _denies_end_of(fact: Fact, said: str) -> bool:
    """Return whether a sentence says that the fact did not end.

    "I was kidding about quitting, I'd never leave the bakery" denies the end of one of two facts.
    """
    if not denies_end(said) or not corrects(said):
        return denies_end(said)
    parts = (clause.text for each in sentences(said) for clause in clauses(each))
    return any(denies_end(part) and shared(fact.text, part) for part in parts)


def _of_replacing(candidate: Candidate, fact: Fact) -> ClaimVerdict:
    said = candidate.sentence or candidate.text
    if (adds_beside(said) or adds_beside(candidate.text)) and not says_over(said):
        return ClaimVerdict.BESIDE
    if shares_key(candidate, fact):
        return ClaimVerdict.HOLDS
    if candidate.key is not None and fact.key is not None:
        return ClaimVerdict.OTHER_KEY
    if not of_one_subject(candidate, fact):
        return ClaimVerdict.ELSEWHERE
    if is_former_or_ahead(candidate.text):
        return ClaimVerdict.OTHER_TIME
    if says_less(candidate.text, fact.text):
        return ClaimVerdict.SAYS_LESS
    held = _excludes(candidate, fact) or _says_so(candidate, fact)
    return ClaimVerdict.HOLDS if held else ClaimVerdict.DOUBTFUL


def _excludes(candidate: Candidate, fact: Fact) -> bool:
    """Return whether both cannot be true: then the model knows which one is."""
    result = compare(candidate.text, fact.text, candidate.instead_of)
    if result.sense is Sense.CONTRADICTS:
        return result.because != SEVERAL
    return result.sense is Sense.CHANGED or other_number_only(candidate.text, fact.text)


def _says_so(candidate: Candidate, fact: Fact) -> bool:
    """Return whether the message says that the fact changed, ended or was wrong.

    It names the old value with it, or what both are values of: "my new boss". What is in another
    language cannot be named; then it must say that something is over.
    """
    if is_respelling(candidate, fact) or _is_denied(candidate, fact):
        return True
    said = [each.text for each in sentences(_message(candidate)) if speaks_of_end(each.text)]
    if any(shared(fact.text, each) - shared(fact.text, candidate.text) for each in said):
        return True
    attribute = shared(fact.text, candidate.text)
    if attribute and corrects(candidate.sentence):
        return True
    if _differs_in_value(candidate, fact) and says_change(candidate.sentence):
        return not may_have_several(candidate, fact)
    if any(attribute & shared(fact.text, each) for each in said):
        return not may_have_several(candidate, fact) or any(map(says_over, said))
    return is_other_language(fact.text, _message(candidate)) and any(map(says_over, said))


def _differs_in_value(candidate: Candidate, fact: Fact) -> bool:
    """Return whether two statements say the same but for a value: "drives a Volvo", "a Tesla"."""
    new, known = content(candidate.text), content(fact.text)
    both = shared(fact.text, candidate.text)
    return bool(both) and len(known - both) <= _VALUE and len(new) - len(both) <= _VALUE


def _is_denied(candidate: Candidate, fact: Fact) -> bool:
    """Return whether the sentence denies the old value: "it is Astro and not Next"."""
    new = shared(fact.text, candidate.text)
    denied = (after for _, after in denials(candidate.sentence) if after)
    return any(shared(fact.text, after) - new for after in denied)


def _message(candidate: Candidate) -> str:
    return candidate.line or candidate.sentence or candidate.text


def _against_rivals(claim: _Claim, earlier: Sequence[_Claim], later: Sequence[_Claim]) -> _Claim:
    """Return the claim, not believed if its sentence names another claimed fact better.

    If it names none, the first claim counts: one sentence changes one thing.
    """
    before = [each for each in earlier if _competes(each, claim)]
    after = [each for each in later if _competes(each, claim)]
    outdone = any(_is_named_better(each, claim) for each in (*before, *after))
    if outdone or (before and not claim.tie):
        return replace(claim, verdict=ClaimVerdict.OTHER_FACT)
    return claim


def _is_named_better(rival: _Claim, claim: _Claim) -> bool:
    same_candidate = rival.candidate == claim.candidate
    keyed = same_candidate and _OF_KEY in rival.tie and _OF_KEY not in claim.tie
    return keyed or claim.tie < rival.tie or (same_candidate and claim.alike < rival.alike)


def _competes(rival: _Claim, claim: _Claim) -> bool:
    """Return whether a believed claim rests on the same sentence, for another fact."""
    if rival.verdict is not ClaimVerdict.HOLDS or rival.fact.id == claim.fact.id:
        return False
    if rival.candidate == claim.candidate:
        return True
    return bool(rival.sentence and claim.sentence) and (
        rival.sentence in claim.sentence or claim.sentence in rival.sentence
    )
