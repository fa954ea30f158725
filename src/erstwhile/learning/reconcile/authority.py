"""Decide whether a candidate may retire a fact: by origin, pin, mood, expiry and age."""

from __future__ import annotations

from datetime import datetime, timedelta

from erstwhile.core.kinds import Kind, Origin, Tier, Trust
from erstwhile.facts.fact import Fact
from erstwhile.learning.candidate import Candidate
from erstwhile.learning.grounding.negations import says_no
from erstwhile.learning.moods import (
    Mood,
    corrects,
    denials,
    denies_end,
    ends_something,
    is_about_others,
    is_denied,
    is_left_out,
    is_temporary,
    laughs,
    mood_of,
    says_change,
)
from erstwhile.learning.reconcile.naming import shared
from erstwhile.learning.reconcile.subject import Subject, subject_of
from erstwhile.learning.weighing import is_weighed

RECENT = timedelta(days=62)
"""A change that began in this or the last month is news, even if the fact was recorded later."""
_LASTING = ("name", "employer", "occupation", "birthday", "hometown")
"""Keys whose value does not change for a week: "my first day at Acme today"."""


def rank(candidate: Candidate) -> int:
    """Return the rank of its origin: 0 for outside sources, 1 for the assistant, 2 for the user."""
    if candidate.origin.trust is Trust.QUARANTINED:
        return 0
    return 1 if candidate.origin is Origin.AGENT else 2


def objection(candidate: Candidate, fact: Fact, *, current: bool, now: datetime) -> str | None:
    """Return why the candidate may not retire the fact; None if it may.

    `current` is whether the candidate says that it is true now.
    """
    if fact.pinned:
        return "the fact is pinned"
    if candidate.origin is Origin.AGENT and not _said_by_the_assistant(fact):
        return "a statement of the assistant does not retire facts from others"
    if not is_weighed(candidate, fact) and (doubt := doubt_of(candidate, fact)) is not None:
        return doubt
    if not current and _older(candidate, fact) and not _is_news(candidate, fact, now):
        return "it is older than the fact"
    return None


def doubt_of(candidate: Candidate, fact: Fact) -> str | None:
    """Return why the words of a candidate should not retire a fact; None if they may."""
    if (unsaid := _not_stated(candidate)) is not None:
        return unsaid
    if _says_the_opposite(candidate, fact):
        return "its sentence denies it"
    if laughs(candidate.sentence) and not corrects(candidate.sentence):
        return "its sentence laughs about it"
    if _passing(candidate) and fact.expires_at is None:
        return "it is temporary, and the fact is not"
    return None


def is_of_another_time(candidate: Candidate, now: datetime) -> bool:
    """Return whether the candidate is not true yet, or no longer."""
    since, until = candidate.valid_from, candidate.expires_at
    return (since is not None and since > now) or (until is not None and until <= now)


def _said_by_the_assistant(fact: Fact) -> bool:
    return fact.origin is Origin.AGENT and fact.tier is Tier.INFERRED


def says_over(sentence: str) -> bool:
    """Return whether a sentence says that something ended, or was never so."""
    return corrects(sentence) or (ends_something(sentence) and not denies_end(sentence))


def _not_stated(candidate: Candidate) -> str | None:
    """Return why the quoted words state nothing about the user that is so now; None if they do."""
    sentence, quote = candidate.sentence, candidate.quote
    if not sentence:
        return None
    start = max(sentence.find(quote), 0)
    end = start + len(quote) or len(sentence)
    mood = mood_of(sentence, start, end)
    if mood is not None and not _may_retire(mood, candidate, sentence[:start] + quote):
        return f"its sentence is no statement: {mood}"
    if not candidate.ends and is_denied(sentence, start):
        return "its sentence denies it"
    takes_back = candidate.ends and corrects(sentence)  # "that is my brother's, not mine"
    if _is_of_user(candidate) and not takes_back and is_about_others(sentence, start, end):
        return "its sentence is about somebody else"
    return None


def _says_the_opposite(candidate: Candidate, fact: Fact) -> bool:
    """Return whether all clauses of the quotation that name the new value deny it.

    "Steak isn't an option" is no reason to believe in steak. "Porto, not Lisbon" denies the fact.
    """
    if candidate.ends or says_no(candidate.text) or corrects(candidate.sentence):
        return False
    naming = [each for each in denials(candidate.quote) if shared(candidate.text, each[0])]
    return bool(naming) and all(
        after is not None and not shared(fact.text, after) for _, after in naming
    )


def _may_retire(mood: Mood, candidate: Candidate, so_far: str) -> bool:
    """Return whether a fact may end by such a sentence: "I was joking", "I used to".

    Of a joke, what is said so far takes something back; what comes after is about the quotation.
    """
    if mood is Mood.JEST:
        return corrects(candidate.sentence if candidate.ends else so_far)
    return mood is Mood.REQUEST or (mood is Mood.PAST and candidate.ends)


def _is_of_user(candidate: Candidate) -> bool:
    return candidate.kind is not Kind.RELATION and subject_of(candidate.text) is Subject.USER


def _passing(candidate: Candidate) -> bool:
    said = candidate.sentence
    if candidate.ends:
        return is_left_out(candidate.quote) or (is_temporary(said) and not _is_new(candidate))
    if candidate.kind is Kind.STATE or candidate.expires_at is not None:
        return not corrects(said)
    return is_temporary(said) and not _is_new(candidate)


def _is_new(candidate: Candidate) -> bool:
    """Return whether it is news for longer than the time that its sentence names."""
    said = candidate.sentence
    return candidate.key in _LASTING or says_over(said) or says_change(said)


def _older(candidate: Candidate, fact: Fact) -> bool:
    """Return whether the candidate began on an earlier day; hours are not compared."""
    since = candidate.valid_from
    return since is not None and since.date() < fact.valid_from.date()


def _is_news(candidate: Candidate, fact: Fact, now: datetime) -> bool:
    """Return whether a candidate is news: "I moved last week", minutes after "I live in Lisbon"."""
    since = candidate.valid_from
    recorded_as_current = fact.valid_from.date() == fact.recorded_at.date()
    return since is not None and now - since <= RECENT and recorded_as_current
