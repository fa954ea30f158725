"""The question that asks a language model again about its proposals, and its answer.

The prompt has the user's own words, without pasted text, and without what the assistant and tools
said after them: a stranger who made the model propose something says nothing here.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from erstwhile.adapters.llm.answers import parse
from erstwhile.adapters.llm.schema_validation import unusable
from erstwhile.conversations.conversation import Role
from erstwhile.core.kinds import Kind
from erstwhile.core.ports import Prompt
from erstwhile.facts.fact import Fact
from erstwhile.learning.candidate import Candidate
from erstwhile.learning.grounding.speakers import is_inside, own_text
from erstwhile.learning.prompt_parts import as_data, dated, filled, list_of, object_with, said_lines
from erstwhile.learning.second_look.answers import FactFate, SecondLook, Support
from erstwhile.learning.turn import LONGEST_LINE, Turn, TurnLine, shortened, shown_before

_ANSWERS = [*(each.value for each in Support), *(each.value for each in FactFate)]
SCHEMA = object_with(
    {
        "answers": list_of(
            object_with({"n": {"type": "integer"}, "answer": {"type": "string", "enum": _ANSWERS}})
        )
    }
)
_SHAPE = {
    "type": "object",
    "properties": {"answers": {"type": "array"}},
    "required": ["answers"],
}
"""What an answer must have; a single answer that cannot be read is left out."""


_NUMBER = re.compile(r"\d{1,3}(?:\.0)?")
_BLANKS = re.compile(r"\s{3,}")
_LONGEST = 200
"""The characters of a known fact that are shown beside the notes."""


class Note(NamedTuple):
    """One line of the question: a statement, or a known fact and what should take its place."""

    place: int
    """The place of the candidate among all."""
    fact: str | None
    """The id of the known fact; None for the statement itself."""
    shown: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class SecondQuestion:
    """What a model is asked again about the proposals of one turn."""

    prompt: Prompt
    notes: Sequence[Note]

    def read(self, answer: str) -> dict[int, SecondLook]:
        """Return the answers by the places of their candidates; raise LlmError if there is none."""
        told = _told(parse(answer, _SHAPE, list_key="answers")["answers"])
        support, fates = dict[int, Support](), defaultdict[int, dict[str, FactFate]](dict)
        for number, note in enumerate(self.notes, start=1):
            said = told.get(number, "")
            if note.fact is None and said in list(Support):
                support[note.place] = Support(said)
            elif note.fact is not None and said in list(FactFate):
                fates[note.place][note.fact] = FactFate(said)
        if not support and not fates:
            raise unusable("the answer tells of no note")
        return {
            place: SecondLook(support=support.get(place), fates=fates[place])
            for place in {*support, *fates}
        }


def _told(given: Sequence[Any]) -> dict[int, str]:
    """Return the answers by their numbers, without those that contradict each other.

    Models without a schema write "1" for 1, and "Joke." or "goes_on" for our words.
    """
    found = defaultdict[int, set[str]](set)
    for each in given:
        if isinstance(each, dict) and _NUMBER.fullmatch(str(each.get("n")).strip()):
            said = str(each.get("answer")).casefold().replace("_", " ")
            found[int(float(each["n"]))].add(said.strip(" .!\"'"))
    return {number: min(said) for number, said in found.items() if len(said) == 1}


def second_question(
    turn: Turn, asked: Sequence[tuple[int, Candidate, Sequence[Fact]]], known: Sequence[Fact]
) -> SecondQuestion | None:
    """Return the question about candidates, each with its place and claimed facts; None if none."""
    notes = [note for each in asked for note in _notes(*each)]
    if not notes:
        return None
    own = [_own(line) for line in turn.lines if line.role is Role.USER]
    before = [replace(line, text=_own(line)) for line in turn.before if is_inside(line)]
    values = {
        "date": dated(turn),
        "known": "\n".join(as_data({"text": shortened(each.text, _LONGEST)}) for each in known),
        "before": said_lines(shown_before(before)),
        "message": as_data({"text": shortened("\n".join(own), LONGEST_LINE[Role.USER])}),
        "notes": "\n".join(
            as_data({"n": n, **each.shown}) for n, each in enumerate(notes, start=1)
        ),
    }
    rules, question = filled("second_look.md", values)
    return SecondQuestion(Prompt(system=rules, user=question, schema=SCHEMA), notes)


def _own(line: TurnLine) -> str:
    """Return the text of a line without pasted text."""
    return _BLANKS.sub("\n", own_text(line)).strip()


def _notes(place: int, candidate: Candidate, facts: Sequence[Fact]) -> Iterator[Note]:
    quote, new = {"quote": candidate.quote}, {}
    if not candidate.ends:
        new = {"new": candidate.text}
        yield Note(place, None, {"statement": candidate.text, **_lasting(candidate), **quote})
    for fact in facts:
        yield Note(place, fact.id, {"fact": fact.text, **new, **quote})


def _lasting(candidate: Candidate) -> dict[str, str]:
    """Return how long a statement claims to be so, if it is for a while only."""
    if candidate.expires_at is not None:
        return {"until": f"{candidate.expires_at:%Y-%m-%d}"}
    return {"so": "for a while"} if candidate.kind is Kind.STATE else {}
