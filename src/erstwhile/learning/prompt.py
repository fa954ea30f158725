"""The parts of prompts for a language model: filled templates, data inside marks, JSON schemas.

Messages, facts and proposals are lines of JSON inside marks, so that no text in them can close the
marks.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from erstwhile.learning.turn import Turn, TurnLine

_PROMPTS = Path(__file__).parent / "prompts"
_SLOT = re.compile(r"\{\{(\w+)\}\}")


def filled(name: str, values: Mapping[str, str]) -> tuple[str, str]:
    """Return the rules and the question of a prompt file, with its slots filled.

    They are filled in one pass, so that slots inside the values stay as they are.
    """
    rules, _, question = _template(name).partition("\n---\n")
    made = [_SLOT.sub(lambda slot: values[slot[1]], part).strip() for part in (rules, question)]
    return made[0], made[1]


def dated(turn: Turn) -> str:
    """Return the date of a turn as prompts show it."""
    return f"{turn.said_at:%Y-%m-%d (%A)}"


def said_lines(lines: Sequence[tuple[TurnLine, str]]) -> str:
    """Return messages as data, one on each line."""
    return "\n".join(as_data({"role": line.role, "text": text}) for line, text in lines)


def as_data(value: Mapping[str, Any]) -> str:
    """Return JSON on one line without "<", which could close the marks.

    Without spaces it takes a fifth fewer tokens.
    """
    written = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return written.replace("<", "\\u003c")


def object_with(properties: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of an object that has exactly these properties."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def list_of(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of a list."""
    return {"type": "array", "items": schema}


@cache
def _template(name: str) -> str:
    return (_PROMPTS / name).read_text("utf-8")
