"""The prompt that asks a language model what to remember of a turn.

The turn and the known facts are lines of JSON inside marks, so that no text in them can close the
marks.
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
from erstwhile.learning.turn import Turn, TurnLine, shortened, shown_before, shown_lines

KEYS = (
    *("name", "preferred_name", "surname", "pronouns", "birthday", "age"),
    *("home", "hometown", "timezone", "native_language", "employer", "occupation", "diet"),
    "relationship_status",
)
"""The single-valued attributes of a person. Patterns and models use no other keys."""
LONGEST_FACT = 300
_SHORTEST_ID, _LONGEST_ID = 4, 36
_PROMPT = Path(__file__).parent / "prompts" / "extract.md"
_SLOT = re.compile(r"\{\{(\w+)\}\}")
_TEXT = {"type": "string"}


def ask(
    llm: Llm, turn: Turn, facts: Sequence[Fact], cancelled: Callable[[], bool] = lambda: False
) -> Completion:
    """Return the answer of the model, or raise LlmError."""
    return llm.complete(prompt(turn, facts), cancelled)


def prompt(turn: Turn, facts: Sequence[Fact]) -> Prompt:
    """Return the prompt: the rules, the date, the relevant facts, the turn and its context."""
    rules, _, question = _template().partition("\n---\n")
    shown = {
        "date": f"{turn.said_at:%Y-%m-%d (%A)}",
        "facts": "\n".join(_fact(id, fact) for id, fact in by_shown_id(facts).items()),
        "before": _said(shown_before(turn.before)),
        "turn": _said(shown_lines(turn.lines)),
    }
    return Prompt(
        system=_filled(rules, {"keys": ", ".join(KEYS)}),
        user=_filled(question, shown),
        schema=SCHEMA,
    )


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
    return _as_data({"id": id, "kind": fact.kind, "since": since, "text": text})


def _said(lines: Sequence[tuple[TurnLine, str]]) -> str:
    return "\n".join(_as_data({"role": line.role, "text": text}) for line, text in lines)


def _as_data(value: Mapping[str, Any]) -> str:
    """Return JSON on one line without "<", which could close the marks.

    Without spaces it takes a fifth fewer tokens.
    """
    written = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return written.replace("<", "\\u003c")


def _filled(text: str, values: Mapping[str, str]) -> str:
    """Fill the slots of a text in one pass, so that slots inside the values stay as they are."""
    return _SLOT.sub(lambda slot: values[slot[1]], text).strip()


@cache
def _template() -> str:
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
    "quote": _TEXT,
    "kind": {"type": "string", "enum": [kind.value for kind in Kind]},
    "entities": _list(_TEXT),
    "relations": _list(_object({"subject": _TEXT, "predicate": _TEXT, "object": _TEXT})),
    "valid_from": _TEXT,
    "expires": _TEXT,
    "key": _TEXT,
    "value": _TEXT,
}
SCHEMA = _object(
    {
        "add": _list(_object(_FACT)),
        "supersede": _list(_object({"ids": _list(_TEXT), **_FACT})),
        "end": _list(_object({"id": _TEXT, "quote": _TEXT})),
    }
)
