"""Let the network read the words of a turn that proposals rest on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from erstwhile.conversations.conversation import Role
from erstwhile.core.errors import EmbedderError
from erstwhile.core.logs import log_failure
from erstwhile.facts.fact import Fact
from erstwhile.learning.candidate import Candidate, CandidateReading
from erstwhile.learning.grounding import Speakers
from erstwhile.learning.moods import sentence_around
from erstwhile.learning.reading.passage import before_text
from erstwhile.learning.reading.reader import ClaimedFact, ProposedText, QuotedWords, Reader
from erstwhile.learning.turn import Turn, TurnLine


def read(
    candidates: Sequence[Candidate], turn: Turn, known: Sequence[Fact], reader: Reader
) -> list[Candidate]:
    """Return the candidates with what the network reads in their words.

    The words of tools and of the assistant are not read.
    """
    try:
        return _read(candidates, turn, known, reader)
    except EmbedderError as error:
        log_failure(__name__, "proposals were judged by rules alone", error=error)
        return list(candidates)


def _read(
    candidates: Sequence[Candidate], turn: Turn, known: Sequence[Fact], reader: Reader
) -> list[Candidate]:
    words = [_words(each, turn) for each in candidates]
    is_alone = not Speakers.of(turn, ()).outside.text.strip()
    return [
        replace(each, reading=_reading(each, found, known, reader, is_alone=is_alone))
        if found
        else each
        for each, found in zip(candidates, words, strict=True)
    ]


def _words(candidate: Candidate, turn: Turn) -> QuotedWords | None:
    """Return the words of the user that the proposal of a model rests on."""
    line = _line(candidate, turn)
    start = -1 if line is None else line.text.find(candidate.quote)
    if line is None or start < 0 or not candidate.quote or not candidate.by_model:
        return None
    before = before_text([each.text for each in turn.before if each.role is not Role.TOOL])
    end = start + len(candidate.quote)
    return QuotedWords(line.text, start, end, sentence_around(line.text, start, end), before)


def _reading(
    candidate: Candidate,
    words: QuotedWords,
    known: Sequence[Fact],
    reader: Reader,
    *,
    is_alone: bool,
) -> CandidateReading:
    statement = ProposedText(
        candidate.text, candidate.kind, candidate.key, replaces=bool(candidate.replaces)
    )
    return CandidateReading(
        support=None if candidate.ends else reader.support(words, statement),
        likeness=reader.likeness(words, candidate.text),
        fates={
            fact.id: reader.fate(words, _known_fact(fact, candidate, known))
            for fact in _met(candidate, known)
        },
        is_alone=is_alone,
    )


def _known_fact(fact: Fact, candidate: Candidate, known: Sequence[Fact]) -> ClaimedFact:
    return ClaimedFact(
        text=fact.text,
        kind=fact.kind,
        rivals=[each.text for each in known if each.id != fact.id],
        successor=None if candidate.ends else candidate.text,
        same_key=not candidate.ends and fact.key is not None and fact.key == candidate.key,
    )


def _line(candidate: Candidate, turn: Turn) -> TurnLine | None:
    found = (each for each in turn.lines if each.message in candidate.messages)
    return next((each for each in found if each.role is Role.USER), None)


def _met(candidate: Candidate, known: Sequence[Fact]) -> list[Fact]:
    """Return the facts that a candidate names, or whose key it has."""
    key = None if candidate.ends else candidate.key
    named = set(candidate.replaces)
    return [
        fact
        for fact in known
        if named & {fact.id, fact.short_id} or (key is not None and key == fact.key)
    ]
