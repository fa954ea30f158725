"""Tell why quoted words do not say what is proposed: they are of others, deny it, or pass."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from erstwhile.core.kinds import Kind
from erstwhile.learning.candidate import Candidate
from erstwhile.learning.grounding.dates import dates_in
from erstwhile.learning.grounding.names import has_name
from erstwhile.learning.grounding.negations import negation, says_no
from erstwhile.learning.grounding.people import is_about_others, is_about_user, names_user
from erstwhile.learning.grounding.said import added_terms, content_terms
from erstwhile.learning.moods import corrects, is_temporary, says_change, sentence_around
from erstwhile.learning.moods.sentences import clauses, sentences_around

_HALF = 0.5
"""The share of the words of a statement that a clause must have to deny it."""
Contradiction = tuple[str, str]
"""The name of a rule, and its reason."""


def contradictions(
    candidate: Candidate, text: str, start: int, end: int
) -> Iterator[Contradiction]:
    """Yield why the words of a text from start to end do not say what is proposed."""
    takes_back = candidate.ends and corrects(sentence_around(text, start, end))
    if is_about_user(candidate.text) and not takes_back and is_about_others(text, start, end):
        yield "others", "it is about somebody else"
    if candidate.ends:
        return
    around = [
        clause.text
        for sentence in sentences_around(text, start, end)
        for clause in clauses(sentence)
        if clause.start < end and clause.end > start
    ]
    if names_user(candidate.text) and _is_denied(candidate.text, around):
        yield "denied", "the opposite was said"
    if (
        _is_lasting(candidate)
        and is_temporary(" ".join(around))
        and not any(map(says_change, around))
    ):
        yield "temporary", "it is so for a while only"


def _is_lasting(candidate: Candidate) -> bool:
    """Return whether a candidate claims to be so for good, as the home of the user is.

    A new job is news, even if it is told as "my first day today".
    """
    passing = candidate.kind is Kind.STATE or candidate.expires_at or dates_in(candidate.text)[0]
    claims = candidate.key or candidate.replaces or candidate.kind is Kind.PROFILE
    return bool(claims) and candidate.key in (None, "home") and not passing


def _is_denied(statement: str, around: Sequence[str]) -> bool:
    """Return whether a statement without a negation is only in clauses with one before it."""
    words = content_terms(statement) - added_terms()
    if not words or says_no(statement) or any(map(corrects, around)):
        return False
    saying = [clause for clause in around if _share(words, clause) >= _HALF]
    return bool(saying) and all(
        found and _share(words, clause[found.end() :])
        for clause in saying
        for found in [negation(clause)]
    )


def _share(words: Collection[str], text: str) -> float:
    return sum(has_name(text, word) for word in words) / len(words)
