"""The answers of a capable language model that was asked again about the proposals of turns.

They were recorded once: the model read each question as `learning.second_look` asks it, and not the
labels. A note that it was not asked about has no answer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache, partial
from typing import Any

from erstwhile.core.ports import Prompt
from erstwhile.evaluation.turns import TURNS, SampleTurn

RECORDED = TURNS.with_name("second_answers.json")
_NOTE = re.compile(r'^\{"n":.*$', re.MULTILINE)
_NAMES = ("statement", "fact", "new")


def recorded_answers(turn: SampleTurn, prompt: Prompt) -> dict[str, Any]:
    """Return the recorded answer to the question about a turn."""
    known = {_about(each): each["answer"] for each in _recorded().get(turn.id, ())}
    notes = map(json.loads, _NOTE.findall(prompt.user))
    given = ({"n": each["n"], "answer": known.get(_about(each), "")} for each in notes)
    return {"answers": list(given)}


def was_recorded(turn: SampleTurn) -> bool:
    """Return whether the model was asked again about a turn."""
    return turn.id in _recorded()


def _about(note: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(note.get(name, "") for name in _NAMES)


@cache
def _recorded() -> dict[str, Sequence[Mapping[str, str]]]:
    found: dict[str, Sequence[Mapping[str, str]]] = json.loads(RECORDED.read_text("utf-8"))
    return found


def look_at(turn: SampleTurn) -> partial[dict[str, Any]]:
    """Return the model that gives the recorded answer about a turn."""
    return partial(recorded_answers, turn)
