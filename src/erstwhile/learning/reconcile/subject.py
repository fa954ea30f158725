"""Tell what a statement is about: whose it is, at which time, and whether it may be one of many."""

from __future__ import annotations

import re
from enum import Enum
from functools import cache

from erstwhile.core.text import folded
from erstwhile.facts.fact import Fact
from erstwhile.learning.candidate import Candidate
from erstwhile.learning.reconcile.naming import shared
from erstwhile.learning.reconcile.normalise import with_values_marked
from erstwhile.learning.reconcile.statement import names_in, read
from erstwhile.learning.reconcile.words import any_of, listed, phrases

_CLAUSE = re.compile(
    r"[,;:(，、；：（]|\b(?:who|that|which|whom|whose|because|after|before|since|while|when|where|and|but|so)\b",
    re.IGNORECASE,
)
"""Where the main clause of an English or Chinese statement may end."""
_PERFECT = re.compile(r"\bha(?:s|ve) (?:been|\w+ed)\b")
"""English verbs in the perfect, which have nothing."""


class Subject(Enum):
    """What a statement is about."""

    USER = "the user"
    OF_USER = "somebody or something of the user"
    OTHER = "something else"


def subject_of(text: str) -> Subject:
    """Return what a statement is about, by the word for the user in many languages."""
    found = _user().search(text)
    if found is None:
        return Subject.OTHER
    before = len(text[: found.start()].split())
    return Subject.OF_USER if before > 1 or found["owns"] else Subject.USER


def of_one_subject(candidate: Candidate, fact: Fact) -> bool:
    """Return whether a candidate and a fact are about the same: a brother is not the user."""
    new, known = subject_of(candidate.text), subject_of(fact.text)
    if new is known is Subject.USER or _shared_entity(candidate, fact):
        return True
    alike = new is known and bool(shared(fact.text, candidate.text))
    return alike or bool(shared(fact.text, candidate.sentence))


def is_former_or_ahead(text: str) -> bool:
    """Return whether the main clause of a text is about the past or the future."""
    main = with_values_marked(_CLAUSE.split(text, maxsplit=1)[0])
    former = phrases("key", "former").search(main)
    return phrases("manner", "ahead").search(main) is not None or (
        former is not None and former[0] not in listed("current")
    )


def says_less(text: str, than: str) -> bool:
    """Return whether the words of a text are a proper subset of the words of another."""
    names = names_in(text, than)
    short, long = read(text, names), read(than, names)
    return set(short.content) < set(long.content) and not short.current


def may_have_several(candidate: Candidate, fact: Fact) -> bool:
    """Return whether the user may have one more: a cat, a language, a friend, a hobby."""
    texts = (_PERFECT.sub(" ", folded(text)) for text in (candidate.text, fact.text))
    return any(_of_many().search(text) for text in texts)


def _shared_entity(candidate: Candidate, fact: Fact) -> bool:
    named = {folded(name) for name in candidate.entities}
    return not named.isdisjoint(folded(name) for name in fact.entities)


@cache
def _of_many() -> re.Pattern[str]:
    return re.compile(any_of((*listed("several", "verbs"), *listed("several", "nouns"))))


@cache
def _user() -> re.Pattern[str]:
    names = sorted(listed("key", "user"), key=len, reverse=True)
    return re.compile(
        rf"(?:{'|'.join(map(re.escape, names))})(?P<owns>['’]s?\b|的|の|의)?", re.IGNORECASE
    )
