"""Check the claims of a model about which facts a candidate replaces."""

from __future__ import annotations

from enum import StrEnum
from functools import cache

from erstwhile.core.text import folded
from erstwhile.facts.fact import Fact
from erstwhile.learning.candidate import Candidate
from erstwhile.learning.reconcile.statement import Statement, is_unspaced, names_in, read, words_of
from erstwhile.learning.reconcile.values import Slot, slot_of
from erstwhile.learning.reconcile.words import listed


class ReplacementClaim(StrEnum):
    """The verdict on a claimed replacement. The value is the reason for the audit trail."""

    HOLDS = "holds"
    DOUBTFUL = "about the same subject, but nothing shows that it is about the same matter"
    ELSEWHERE = "the fact that it should replace is about another subject"
    OTHER_TIME = "a past or future statement replaces nothing"
    SAYS_LESS = "the fact that it should replace says more"


def judge_claim(candidate: Candidate, fact: Fact) -> ReplacementClaim:
    """Return whether a candidate may replace the fact that a model named."""
    names = names_in(candidate.text, fact.text)
    new, known = read(candidate.text, names), read(fact.text, names)
    if not _same_subject(new, known) and not _shared_entity(candidate, fact):
        return ReplacementClaim.ELSEWHERE
    if _of_relatives(new, known):
        return ReplacementClaim.ELSEWHERE
    if new.manner - known.manner:
        return ReplacementClaim.OTHER_TIME
    if says_less(candidate.text, fact.text):
        return ReplacementClaim.SAYS_LESS
    related = _shared_matter(new, known) or shares_key(candidate, fact)
    return ReplacementClaim.HOLDS if related else ReplacementClaim.DOUBTFUL


def points_at(candidate: Candidate, fact: Fact) -> bool:
    """Return whether the model says that the candidate replaces or ends this fact."""
    return not {fact.id, fact.short_id}.isdisjoint(candidate.replaces)


def shares_key(candidate: Candidate, fact: Fact) -> bool:
    """Return whether candidate and fact have the same key."""
    return candidate.key is not None and folded(candidate.key) == fact.key


def says_less(text: str, than: str) -> bool:
    """Return whether the words of a text are a proper subset of the words of another."""
    names = names_in(text, than)
    short, long = read(text, names), read(than, names)
    return set(short.content) < set(long.content) and not short.current


def _same_subject(new: Statement, known: Statement) -> bool:
    return _subject(new) == _subject(known)


def _subject(statement: Statement) -> tuple[str, ...]:
    """Return the subject: the first word, or the first two Chinese characters."""
    content = statement.content
    return content[: 2 if content and is_unspaced(content[0]) else 1]


def _of_relatives(new: Statement, known: Statement) -> bool:
    """Return whether one is about the user and the other about a relative of the user."""
    ones, twos = _slots(new), _slots(known)
    return any(
        one.subject != two.subject and _begins(one.subject, two.subject)
        for one in ones
        for two in twos
        if one.mark == two.mark
    )


def _slots(statement: Statement) -> list[Slot]:
    return [slot for part in statement.parts if (slot := slot_of(part))]


def _begins(one: tuple[str, ...], two: tuple[str, ...]) -> bool:
    shorter = min(len(one), len(two))
    return one[:shorter] == two[:shorter]


def _shared_matter(new: Statement, known: Statement) -> set[str]:
    """Return the topics that both share. A user who likes tea may like coffee as well."""
    shared = _matter(new) & _matter(known)
    return shared if new.current or new.instead else shared - _of_many()


@cache
def _of_many() -> frozenset[str]:
    verbs = (words_of(verb, frozenset()) for verb in listed("several", "verbs"))
    return frozenset(word for words in verbs for word in words) | {"⟨like⟩"}


def _matter(statement: Statement) -> set[str]:
    """Return the words besides the subject."""
    return set(statement.content) - set(_subject(statement))


def _shared_entity(candidate: Candidate, fact: Fact) -> bool:
    return bool(
        {folded(name) for name in candidate.entities} & {folded(name) for name in fact.entities}
    )
