"""Asking a language model what a turn says that should be remembered: one question per turn.

The turn and the known facts are shown as lines of JSON, so that nothing in them can end the place
where they stand.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from erstwhile.core.kinds import Kind
from erstwhile.core.ports import Completion, Llm, Prompt
from erstwhile.facts.fact import Fact
from erstwhile.learning.turn import Turn, shortened, shown_lines

KEYS = (
    *("name", "preferred_name", "surname", "pronouns", "birthday", "age"),
    *("home", "hometown", "timezone", "native_language", "employer", "occupation", "diet"),
)
"""Of what a person has one at a time, as patterns name it; a model may name no other key."""
LONGEST_FACT = 300
_SHORTEST_ID, _LONGEST_ID = 4, 36
_PROMPT = Path(__file__).parent / "prompts" / "extract.md"
_SLOT = re.compile(r"\{\{(\w+)\}\}")
_TEXT = {"type": "string"}
_LINES = {"type": "array", "items": {"type": "integer"}}


def ask(
    llm: Llm, turn: Turn, facts: Sequence[Fact], cancelled: Callable[[], bool] = lambda: False
) -> Completion:
    """The model's answer; LlmError when there is none."""
    return llm.complete(prompt(turn, facts), cancelled)


def prompt(turn: Turn, facts: Sequence[Fact]) -> Prompt:
    """What the model is shown: the rules, the date, the facts that may matter, and the turn."""
    rules, _, question = _written().partition("\n---\n")
    shown = {
        "date": f"{turn.said_at:%Y-%m-%d (%A)}",
        "facts": "\n".join(_fact(id, fact) for id, fact in by_shown_id(facts).items()),
        "turn": "\n".join(
            _as_data({"line": number, "role": line.role, "text": text})
            for number, line, text in shown_lines(turn.lines)
        ),
    }
    return Prompt(
        system=_filled(rules, {"keys": ", ".join(KEYS)}),
        user=_filled(question, shown),
        schema=SCHEMA,
    )


def by_shown_id(facts: Sequence[Fact]) -> dict[str, Fact]:
    """The facts by the ids under which the model sees them: as short as tells them apart.

    It is the end of an id, which chance made: an id that a model makes up names nothing.
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
    return _as_data({"id": id, "kind": fact.kind, "since": since, "text": text})


def _as_data(value: Mapping[str, Any]) -> str:
    """On one line, and without what could be taken for the mark at the end of the data.

    Without spaces it takes a fifth fewer tokens.
    """
    written = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return written.replace("<", "\\u003c")


def _filled(text: str, values: Mapping[str, str]) -> str:
    """In one pass, so that a slot in what is filled in stays what it is."""
    return _SLOT.sub(lambda slot: values[slot[1]], text).strip()


@cache
def _written() -> str:
    return _PROMPT.read_text("utf-8")


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def _list(of: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": of}


_FACT = {
    "text": _TEXT,
    "kind": {"type": "string", "enum": [kind.value for kind in Kind]},
    "lines": _LINES,
    "entities": _list(_TEXT),
    "relations": _list(_object({"subject": _TEXT, "predicate": _TEXT, "object": _TEXT})),
    "valid_from": _TEXT,
    "expires": _TEXT,
    "key": _TEXT,
}
SCHEMA = _object(
    {
        "add": _list(_object(_FACT)),
        "supersede": _list(_object({"ids": _list(_TEXT), **_FACT})),
        "end": _list(_object({"id": _TEXT, "lines": _LINES})),
    }
)
