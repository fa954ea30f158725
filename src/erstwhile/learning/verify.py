"""Verification: the language model checks the proposals of a turn against the user's own words.

Rules decide who said it; a model decides what it means. The model sees the user's words, the
exchange before and the proposals, but no tool output, no pasted text and not its first answer. A
stranger who made the model propose something says nothing here. A fact ends
only if verification says that it ended or was never true. What it does not confirm is held.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias

from erstwhile.adapters.llm.answers import parse, unusable
from erstwhile.conversations.conversation import Role
from erstwhile.core.errors import LlmError
from erstwhile.core.logs import log_failure
from erstwhile.core.ports import Prompt
from erstwhile.facts.fact import Fact
from erstwhile.learning.candidate import Candidate, FactStatus, Support
from erstwhile.learning.extract import as_data, dated, filled, list_of, object_with, said_lines
from erstwhile.learning.quotation import own_text
from erstwhile.learning.sources import is_trusted
from erstwhile.learning.turn import MAX_LINE, Turn, TurnLine, shortened, shown_before

TRIES = 2
"""How often the question is asked if the answer is unusable."""
_KNOWN = 10
"""How many known facts are shown, so that the model knows who "Mia" is."""
_MAX_LENGTH = 200
"""The characters of a known fact that are shown."""
_ANSWERS = [*(each.value for each in Support), *(each.value for each in FactStatus)]
SCHEMA = object_with(
    {
        "answers": list_of(
            object_with({"n": {"type": "integer"}, "answer": {"type": "string", "enum": _ANSWERS}})
        )
    }
)
_SHAPE = {"type": "object", "properties": {"answers": {"type": "array"}}, "required": ["answers"]}
"""What an answer must have; a single answer that cannot be read is left out."""
_NUMBER = re.compile(r"\d{1,3}(?:\.0)?")
_BLANKS = re.compile(r"\s{3,}")
_REASONS = {
    Support.QUESTION: "it was asked, not stated",
    Support.SUPPOSITION: "it was supposed, not stated",
    Support.PLAN: "it is only a plan",
    Support.JOKE: "it was a joke",
    Support.STORY: "it was a story or an example",
    Support.SOMEBODY_ELSE: "it is about somebody else",
    Support.QUOTED: "the user quotes others",
    Support.FOR_A_WHILE: "it is temporary",
    Support.NO_LONGER: "it is no longer true",
    Support.DENIED: "the user says the opposite",
    Support.MORE: "it says more than the user did",
    Support.MISREAD: "it misreads the user",
}


class Note(NamedTuple):
    """One line of the question: a statement, or a known fact and what should take its place."""

    place: int
    """The place of the candidate among all."""
    fact: str | None
    """The id of the known fact; None for the statement itself."""
    shown: Mapping[str, Any]


Answers: TypeAlias = Mapping[tuple[int, str | None], str]
"""The answers of the model, by the place and the fact of their notes."""


def verified(
    candidates: Sequence[Candidate],
    turn: Turn,
    known: Sequence[Fact],
    ask: Callable[[Prompt], str],
) -> list[Candidate]:
    """Return the candidates with the answers of the model, held if it does not confirm them."""
    found = list(candidates)
    open_ones = {at: each for at, each in enumerate(found) if not each.held and not each.refused}
    notes = [note for at, each in open_ones.items() for note in _notes(at, each, known)]
    if not notes:
        return found
    answers = _answers(turn, known, notes, ask)
    for at, each in open_ones.items():
        found[at] = _judged(at, each, answers)
    return found


def _judged(place: int, candidate: Candidate, answers: Answers) -> Candidate:
    """Return a candidate with its answers, held if its statement is not confirmed."""
    statuses = {
        fact: FactStatus(said) for (at, fact), said in answers.items() if at == place and fact
    }
    said = answers.get((place, None))
    support = None if said is None else Support(said)
    found = replace(candidate, support=support, statuses=statuses)
    if support is Support.SAID or (candidate.ends and statuses):
        return found
    if support is None:
        return found.hold("verify/unanswered", "verification gave no answer")
    return found.hold(f"verify/{support.replace(' ', '-')}", _REASONS[support])


def _answers(
    turn: Turn, known: Sequence[Fact], notes: Sequence[Note], ask: Callable[[Prompt], str]
) -> Answers:
    """Ask the model; after several unusable answers return none, so that everything is held."""
    rules, question = filled("verify.md", _values(turn, known, notes))
    for _ in range(TRIES):
        answer = ask(Prompt(system=rules, user=question, schema=SCHEMA))
        try:
            return _read_answers(answer, notes)
        except LlmError as failure:
            log_failure(__name__, "the answer of verification is unusable", error=failure)
    return {}


def _read_answers(answer: str, notes: Sequence[Note]) -> Answers:
    """Return the answers of the model; raise LlmError if there is none."""
    said = _said_by_number(parse(answer, _SHAPE, list_key="answers")["answers"])
    found = {
        (note.place, note.fact): said[number]
        for number, note in enumerate(notes, start=1)
        if said.get(number) in list[str](Support if note.fact is None else FactStatus)
    }
    if not found:
        raise unusable("the answer is about no note")
    return found


def _values(turn: Turn, known: Sequence[Fact], notes: Sequence[Note]) -> dict[str, str]:
    own = [_own_paragraphs(line) for line in turn.lines if line.role is Role.USER]
    before = [replace(line, text=_own_paragraphs(line)) for line in turn.before if is_trusted(line)]
    facts = (as_data({"text": shortened(each.text, _MAX_LENGTH)}) for each in known[:_KNOWN])
    lines = (as_data({"n": n, **each.shown}) for n, each in enumerate(notes, start=1))
    return {
        "date": dated(turn),
        "known": "\n".join(facts),
        "before": said_lines(shown_before(before)),
        "message": as_data({"text": shortened("\n".join(own), MAX_LINE[Role.USER])}),
        "notes": "\n".join(lines),
    }


def _said_by_number(given: Sequence[Any]) -> dict[int, str]:
    """Return the answers by their numbers, without those that contradict each other.

    Models without a schema write "1" for 1, and "Joke." or "goes_on" for the words of the prompt.
    """
    found = defaultdict[int, set[str]](set)
    for each in given:
        if isinstance(each, dict) and _NUMBER.fullmatch(str(each.get("n")).strip()):
            said = str(each.get("answer")).casefold().replace("_", " ")
            found[int(float(each["n"]))].add(said.strip(" .!\"'"))
    return {number: min(said) for number, said in found.items() if len(said) == 1}


def _own_paragraphs(line: TurnLine) -> str:
    return _BLANKS.sub("\n", own_text(line)).strip()


def _notes(place: int, candidate: Candidate, known: Sequence[Fact]) -> Iterator[Note]:
    quote, new = {"quote": candidate.quote}, {}
    if not candidate.ends:
        new = {"new": candidate.text}
        period = {"from": candidate.valid_from, "until": candidate.expires_at}
        times = {name: f"{time:%Y-%m-%d}" for name, time in period.items() if time is not None}
        yield Note(place, None, {"statement": candidate.text, **times, **quote})
    for fact in (each for each in known if candidate.claims(each)):
        since = {"since": f"{fact.valid_from:%Y-%m-%d}"}
        yield Note(place, fact.id, {"fact": fact.text, **since, **new, **quote})
