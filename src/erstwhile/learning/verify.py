"""Verification: the language model checks the proposals of a turn against the user's own words.

Rules decide who said it; a model decides what it means. The model sees the user's words, the
exchange before and the proposals, but no tool output, no pasted text and not its first answer. A
stranger who made the model propose something says nothing here. Only a fact that verification
calls over or never so can end. What it does not confirm is held.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from erstwhile.adapters.llm.answers import parse, unusable
from erstwhile.conversations.conversation import Role
from erstwhile.core.errors import LlmError
from erstwhile.core.logs import log_failure
from erstwhile.core.ports import Prompt
from erstwhile.facts.fact import Fact
from erstwhile.learning.candidate import Candidate, FactStatus, Support
from erstwhile.learning.extract import as_data, dated, filled, list_of, object_with, said_lines
from erstwhile.learning.provenance import is_trusted, own_text
from erstwhile.learning.turn import LONGEST_LINE, Turn, TurnLine, shortened, shown_before

TRIES = 2
"""How often the question is asked if the answer is unusable."""
_KNOWN = 10
"""How many known facts are shown, so that the model knows who "Mia" is."""
_LONGEST = 200
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
    Support.PLAN: "it is a plan, and not so yet",
    Support.JOKE: "it was said in jest",
    Support.STORY: "it was told as a story or an example",
    Support.SOMEBODY_ELSE: "it is about somebody else",
    Support.QUOTED: "the user passes on the words of others",
    Support.FOR_A_WHILE: "it is so for a while only",
    Support.NO_LONGER: "it is no longer so",
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


def verified(
    candidates: Sequence[Candidate],
    turn: Turn,
    known: Sequence[Fact],
    ask: Callable[[Prompt], str],
) -> list[Candidate]:
    """Return the candidates with the answers of the model, held if it does not confirm them."""
    open_ones = [at for at, each in enumerate(candidates) if not each.held and not each.refused]
    question = Question.about({at: candidates[at] for at in open_ones}, turn, known)
    if not question.notes:
        return list(candidates)
    found = list(candidates)
    answered = _answered(question, ask)
    for at in open_ones:
        found[at] = answered.judge(at, found[at])
    return found


@dataclass(frozen=True, slots=True)
class Answers:
    """The answers of the model, by the places of the candidates."""

    support: Mapping[int, Support]
    statuses: Mapping[int, Mapping[str, FactStatus]]

    def judge(self, place: int, candidate: Candidate) -> Candidate:
        """Return a candidate with its answers, held if its statement is not confirmed."""
        told = self.support.get(place)
        found = replace(candidate, support=told, statuses=self.statuses.get(place, {}))
        if told is Support.SAID or (candidate.ends and found.statuses):
            return found
        if told is None:
            return found.hold("verify/unanswered", "verification gave no answer")
        return found.hold(f"verify/{told.replace(' ', '-')}", _REASONS[told])


_NO_ANSWERS = Answers({}, {})


@dataclass(frozen=True, slots=True)
class Question:
    """The question about the proposals of one turn."""

    prompt: Prompt
    notes: Sequence[Note]

    @classmethod
    def about(
        cls, candidates: Mapping[int, Candidate], turn: Turn, known: Sequence[Fact]
    ) -> Question:
        """Return the question about candidates, given by their places."""
        notes = [
            note
            for place, each in candidates.items()
            for note in _notes(place, each, [fact for fact in known if each.claims(fact)])
        ]
        rules, question = filled("verify.md", _values(turn, known, notes))
        return cls(Prompt(system=rules, user=question, schema=SCHEMA), notes)

    def read(self, answer: str) -> Answers:
        """Return the answers of the model; raise LlmError if there is none."""
        told = _told(parse(answer, _SHAPE, list_key="answers")["answers"])
        support, statuses = dict[int, Support](), defaultdict[int, dict[str, FactStatus]](dict)
        for number, note in enumerate(self.notes, start=1):
            said = told.get(number, "")
            if note.fact is None and said in list(Support):
                support[note.place] = Support(said)
            elif note.fact is not None and said in list(FactStatus):
                statuses[note.place][note.fact] = FactStatus(said)
        if not support and not statuses:
            raise unusable("the answer is about no note")
        return Answers(support, statuses)


def _answered(question: Question, ask: Callable[[Prompt], str]) -> Answers:
    """Return the answers; after several unusable ones none, so that everything is held."""
    for _ in range(TRIES):
        answer = ask(question.prompt)
        try:
            return question.read(answer)
        except LlmError as failure:
            log_failure(__name__, "the answer of verification is unusable", error=failure)
    return _NO_ANSWERS


def _values(turn: Turn, known: Sequence[Fact], notes: Sequence[Note]) -> dict[str, str]:
    own = [_own(line) for line in turn.lines if line.role is Role.USER]
    before = [replace(line, text=_own(line)) for line in turn.before if is_trusted(line)]
    facts = (as_data({"text": shortened(each.text, _LONGEST)}) for each in known[:_KNOWN])
    lines = (as_data({"n": n, **each.shown}) for n, each in enumerate(notes, start=1))
    return {
        "date": dated(turn),
        "known": "\n".join(facts),
        "before": said_lines(shown_before(before)),
        "message": as_data({"text": shortened("\n".join(own), LONGEST_LINE[Role.USER])}),
        "notes": "\n".join(lines),
    }


def _told(given: Sequence[Any]) -> dict[int, str]:
    """Return the answers by their numbers, without those that contradict each other.

    Models without a schema write "1" for 1, and "Joke." or "goes_on" for the words of the prompt.
    """
    found = defaultdict[int, set[str]](set)
    for each in given:
        if isinstance(each, dict) and _NUMBER.fullmatch(str(each.get("n")).strip()):
            said = str(each.get("answer")).casefold().replace("_", " ")
            found[int(float(each["n"]))].add(said.strip(" .!\"'"))
    return {number: min(said) for number, said in found.items() if len(said) == 1}


def _own(line: TurnLine) -> str:
    """Return the text of a line without foreign text."""
    return _BLANKS.sub("\n", own_text(line)).strip()


def _notes(place: int, candidate: Candidate, facts: Sequence[Fact]) -> Iterator[Note]:
    quote, new = {"quote": candidate.quote}, {}
    if not candidate.ends:
        new = {"new": candidate.text}
        yield Note(place, None, {"statement": candidate.text, **_times(candidate), **quote})
    for fact in facts:
        since = {"since": f"{fact.valid_from:%Y-%m-%d}"}
        yield Note(place, fact.id, {"fact": fact.text, **since, **new, **quote})


def _times(candidate: Candidate) -> dict[str, str]:
    """Return the period that a statement claims, as the note shows it."""
    times = {"from": candidate.valid_from, "until": candidate.expires_at}
    return {name: f"{time:%Y-%m-%d}" for name, time in times.items() if time is not None}
