"""Let the network read the words of a turn that proposals rest on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from erstwhile.core.errors import EmbedderError
from erstwhile.core.logs import log_failure
from erstwhile.facts.fact import Fact
from erstwhile.learning.candidate import Candidate, CandidateReading
from erstwhile.learning.quoted_words import QuotedWords, claimed_facts, quoted_words
from erstwhile.learning.reading.reader import ClaimedFact, ProposedText, Reader
from erstwhile.learning.turn import Turn


def read(
    candidates: Sequence[Candidate], turn: Turn, known: Sequence[Fact], reader: Reader
) -> list[Candidate]:
    """Return the candidates with what the network reads in their words.

    The words of tools and of the assistant are not read.
    """
    try:
        return [_read(each, turn, known, reader) for each in candidates]
    except EmbedderError as error:
        log_failure(__name__, "proposals were judged by rules alone", error=error)
        return list(candidates)


def _read(candidate: Candidate, turn: Turn, known: Sequence[Fact], reader: Reader) -> Candidate:
    words = quoted_words(candidate, turn)
    if words is None:
        return candidate
    return replace(candidate, reading=_reading(candidate, words, known, reader))


def _reading(
    candidate: Candidate, words: QuotedWords, known: Sequence[Fact], reader: Reader
) -> CandidateReading:
    statement = ProposedText(
        candidate.text, candidate.kind, candidate.key, replaces=bool(candidate.replaces)
    )
    return CandidateReading(
        support=None if candidate.ends else reader.support(words, statement),
        likeness=reader.likeness(words, candidate.text),
        fates={
            fact.id: reader.fate(words, _known_fact(fact, candidate, known))
            for fact in claimed_facts(candidate, known)
        },
    )


def _known_fact(fact: Fact, candidate: Candidate, known: Sequence[Fact]) -> ClaimedFact:
    return ClaimedFact(
        text=fact.text,
        kind=fact.kind,
        rivals=[each.text for each in known if each.id != fact.id],
        successor=None if candidate.ends else candidate.text,
        same_key=not candidate.ends and fact.key is not None and fact.key == candidate.key,
    )
