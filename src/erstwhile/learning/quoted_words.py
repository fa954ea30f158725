"""The words of a user that the proposal of a model rests on, and the known facts that it claims."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from erstwhile.conversations.conversation import Role
from erstwhile.facts.fact import Fact
from erstwhile.learning.candidate import Candidate
from erstwhile.learning.grounding import Speakers
from erstwhile.learning.moods import sentence_around
from erstwhile.learning.turn import Turn, TurnLine
from erstwhile.search.own_words import own_part, own_words


class QuotedWords(NamedTuple):
    """The words that a proposal rests on, in their message."""

    text: str
    start: int
    end: int
    sentence: str
    before: str = ""
    """The exchange before."""


def quoted_words(candidate: Candidate, turn: Turn) -> QuotedWords | None:
    """Return the words of the user that the proposal of a model rests on; None if others said them.

    What patterns find are the words themselves.
    """
    line = _line(candidate, turn)
    start = -1 if line is None else line.text.find(candidate.quote)
    if line is None or start < 0 or not candidate.quote or not candidate.by_model:
        return None
    before = before_text([each.text for each in turn.before if each.role is not Role.TOOL])
    end = start + len(candidate.quote)
    return QuotedWords(line.text, start, end, sentence_around(line.text, start, end), before)


def before_text(lines: Sequence[str]) -> str:
    """Return the last lines of the exchange before as one text."""
    return " ".join(lines[-2:])


def is_alone(turn: Turn) -> bool:
    """Return whether nothing in a turn is from a tool or a pasted text."""
    return not Speakers.of(turn, ()).outside.text.strip()


def is_plain(turn: Turn) -> bool:
    """Return whether the user's messages have no quotation, and nothing that may be pasted.

    A stranger's words in them would be before the model when it is asked again.
    """
    return all(
        own_words(each.text) == each.text.replace("’", "'")
        and own_part(each.text) == (0, len(each.text))
        for each in (*turn.before, *turn.lines)
        if each.role is Role.USER
    )


def claimed_facts(candidate: Candidate, known: Sequence[Fact]) -> list[Fact]:
    """Return the facts that a candidate names, or whose key it has."""
    key = None if candidate.ends else candidate.key
    named = set(candidate.replaces)
    return [
        fact
        for fact in known
        if named & {fact.id, fact.short_id} or (key is not None and key == fact.key)
    ]


def _line(candidate: Candidate, turn: Turn) -> TurnLine | None:
    found = (each for each in turn.lines if each.message in candidate.messages)
    return next((each for each in found if each.role is Role.USER), None)
