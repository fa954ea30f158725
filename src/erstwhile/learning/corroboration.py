"""Compare a proposal with the other proposals of its answer, and with the known facts.

A model often takes the same words twice: "The user's flatmate Bex broke up" and "The user is
single". The same words tell of one person and of one time, so the one that says more about them
counts. A proposal may also tell in other words that something ended: "The user sold the Honda".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from erstwhile.core.kinds import Kind
from erstwhile.core.text import folded
from erstwhile.facts.fact import Fact
from erstwhile.learning.candidate import Candidate
from erstwhile.learning.grounding.dates import has_day_ahead
from erstwhile.learning.grounding.languages import spoken_language
from erstwhile.learning.grounding.names import names_in
from erstwhile.learning.grounding.negations import says_no
from erstwhile.learning.grounding.people import begins_with, is_about_user, names_person, person_of
from erstwhile.learning.grounding.word_lists import says
from erstwhile.learning.moods import Mood, clauses_around, corrects, ends_something, is_temporary
from erstwhile.learning.reconcile.naming import content, shared
from erstwhile.learning.turn import Turn
from erstwhile.learning.verdict import Action, Verdict
from erstwhile.recall.paraphrases import Paraphrases

_CURRENT = frozenset({"home", "employer", "occupation", "timezone", "diet"})
"""The keys of what is so now, which a plan or a stay does not change."""
_MOST = 0.6
"""The share of the shorter of two quotations that makes them overlap."""


def objections(candidate: Candidate, beside: Sequence[Candidate], turn: Turn) -> Iterator[Verdict]:
    """Yield why the same words tell something else in another proposal."""
    for reason, rule in _told_otherwise(candidate, beside, turn):
        yield Verdict(action=Action.HOLD, text=candidate.text, reason=reason, rule=rule)
        return


def _told_otherwise(
    candidate: Candidate, beside: Sequence[Candidate], turn: Turn
) -> Iterator[tuple[str, str]]:
    for other in beside:
        if candidate.key in _CURRENT and _is_stay_beside(candidate, other):
            yield "it is so for a while only", "grounding/temporary"
        if other.text == candidate.text or not _overlap(other.quote, candidate.quote):
            continue
        if _is_of_another(candidate, other):
            yield "the same words tell of somebody else", "grounding/others"
        if candidate.key not in _CURRENT or candidate.ends:
            continue
        if _is_ahead(other, turn) and not _is_ahead(candidate, turn):
            yield "it is a plan, and not so yet", "grounding/plan"


def _is_stay_beside(candidate: Candidate, other: Candidate) -> bool:
    """Return whether another proposal tells the same value or the same words as a passing state."""
    if candidate.ends or other.kind is not Kind.STATE:
        return False
    passing = other.expires_at or is_temporary(other.text)
    same = _overlap(other.quote, candidate.quote) or shared(candidate.text, other.text)
    return bool(passing and same)


def _is_ahead(candidate: Candidate, turn: Turn) -> bool:
    return says(Mood.PLAN, candidate.text) or has_day_ahead(candidate.text, turn.said_at)


def _is_of_another(candidate: Candidate, other: Candidate) -> bool:
    """Return whether another proposal tells the quoted words of a person whom this one omits.

    For a statement, the other one must quote more: the words that name the person.
    """
    person = person_of(other.text)
    if not person or shared(candidate.text, person):
        return False
    if candidate.ends:
        return candidate.quote in other.quote
    longer = len(other.quote) > len(candidate.quote)
    return longer and candidate.quote in other.quote and is_about_user(candidate.text)


def told_of_known(candidate: Candidate, known: Sequence[Fact]) -> Iterator[Verdict]:
    """Yield a verdict if the quoted clause begins with somebody known whom the proposal omits.

    "Bex split up last night" does not end a relationship of the user, who has a flatmate Bex.
    """
    start = candidate.sentence.find(candidate.quote)
    own = candidate.ends or is_about_user(candidate.text)
    if start < 0 or not candidate.quote or not own:
        return
    around = clauses_around(candidate.sentence, start, start + len(candidate.quote))
    people = {name for fact in known if names_person(fact.text) for name in names_in(fact.text)}
    if any(begins_with(around, name) for name in people if not shared(candidate.text, name)):
        reason, rule = "it is about somebody else", "grounding/others"
        yield Verdict(action=Action.HOLD, text=candidate.text, reason=reason, rule=rule)


def told_as_ended(candidate: Candidate, beside: Sequence[Candidate]) -> str:
    """Return the accepted statement that tells the end of a fact in other words; empty if none."""
    near = (
        each.text
        for each in beside
        if _overlap(each.quote, candidate.quote) or _overlap(each.sentence, candidate.sentence)
    )
    told = (text for text in near if _tells_end_of(candidate.text, text))
    return next(told, "") if candidate.ends else ""


def _tells_end_of(fact: str, statement: str) -> bool:
    both = shared(fact, statement)
    denies = says_no(statement) and not says_no(fact) and both == content(fact)
    if not denies and not (both and ends_something(statement)):
        return False
    person = person_of(statement)
    return not person or bool(shared(fact, person))


def ends_another(
    candidate: Candidate, known: Sequence[Fact], paraphrases: Paraphrases | None
) -> Iterator[Verdict]:
    """Yield a verdict if the words of an ending name nothing of its fact, and mean another one.

    Meaning is compared in the languages of the embedder. In others, words for an end must do.
    """
    quote, sentence = candidate.quote, candidate.sentence
    named = quote if candidate.told_beside else sentence
    if not candidate.ends or paraphrases is None or shared(candidate.text, named):
        return
    if spoken_language(candidate.line or sentence) not in paraphrases.scale.languages:
        means_it = bool(candidate.told_beside) or ends_something(quote)
    else:
        words = (sentence,) if corrects(sentence) else (quote, sentence)
        means_it = any(_is_nearest(candidate.text, each, known, paraphrases) for each in words)
    if means_it:
        return
    reason, rule = "its words do not name the fact", "grounding/elsewhere"
    yield Verdict(action=Action.HOLD, text=candidate.text, reason=reason, rule=rule)


def _is_nearest(fact: str, words: str, known: Sequence[Fact], paraphrases: Paraphrases) -> bool:
    """Return whether no other known fact is nearer to some words."""
    texts = [each.text for each in known]
    nearest = paraphrases.nearest(words, texts)
    return nearest is None or folded(texts[nearest]) == folded(fact)


def _overlap(one: str, two: str) -> bool:
    """Return whether two quotations have most of the shorter one in common."""
    if not one or not two:
        return False
    if one in two or two in one:
        return True
    same = SequenceMatcher(None, one, two, autojunk=False).find_longest_match()
    return same.size > _MOST * min(len(one), len(two))
