"""The prompt that asks a language model what to remember of a turn."""

from __future__ import annotations

from collections.abc import Sequence

from erstwhile.core.kinds import Kind
from erstwhile.core.ports import Prompt
from erstwhile.facts.fact import Fact
from erstwhile.learning.prompt_parts import as_data, dated, filled, list_of, object_with, said_lines
from erstwhile.learning.turn import Turn, shortened, shown_before, shown_lines

KEYS = (
    *("name", "preferred_name", "surname", "pronouns", "birthday", "age"),
    *("home", "hometown", "timezone", "native_language", "employer", "occupation", "diet"),
    "relationship_status",
)
"""The single-valued attributes of a person. Patterns and models use no other keys."""
LONGEST_FACT = 300
_SHORTEST_ID, _LONGEST_ID = 4, 36
_TEXT = {"type": "string"}


def prompt(turn: Turn, facts: Sequence[Fact]) -> Prompt:
    """Return the prompt: the rules, the date, the relevant facts, the turn and its context."""
    values = {
        "keys": ", ".join(KEYS),
        "date": dated(turn),
        "facts": "\n".join(_fact(id, fact) for id, fact in by_shown_id(facts).items()),
        "before": said_lines(shown_before(turn.before)),
        "turn": said_lines(shown_lines(turn.lines)),
    }
    rules, question = filled("extract.md", values)
    return Prompt(system=rules, user=question, schema=SCHEMA)


def by_shown_id(facts: Sequence[Fact]) -> dict[str, Fact]:
    """Return the facts by the short ids that the model sees.

    A short id is the random end of an id, so an id that a model invents names no fact.
    """
    ids = {fact.id for fact in facts}
    length = next(
        length
        for length in range(_SHORTEST_ID, _LONGEST_ID + 1)
        if len({id[-length:] for id in ids}) == len(ids)
    )
    return {fact.id[-length:]: fact for fact in facts}


def _fact(id: str, fact: Fact) -> str:
    text = shortened(fact.text, LONGEST_FACT)
    since = f"{fact.valid_from:%Y-%m-%d}"
    return as_data({"id": id, "kind": fact.kind, "since": since, "text": text})


_FACT = {
    "text": _TEXT,
    "quote": _TEXT,
    "kind": {"type": "string", "enum": [kind.value for kind in Kind]},
    "entities": list_of(_TEXT),
    "relations": list_of(object_with({"subject": _TEXT, "predicate": _TEXT, "object": _TEXT})),
    "valid_from": _TEXT,
    "expires": _TEXT,
    "key": _TEXT,
    "value": _TEXT,
}
SCHEMA = object_with(
    {
        "add": list_of(object_with(_FACT)),
        "supersede": list_of(object_with({"ids": list_of(_TEXT), **_FACT})),
        "end": list_of(object_with({"id": _TEXT, "quote": _TEXT})),
    }
)
