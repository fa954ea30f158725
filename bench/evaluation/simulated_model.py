"""A simulated language model: written answers to the two questions that learning asks about a turn.

The first question asks for proposals, the second one for a verification of each. A capable model
gave the second answers once: it read each question, and not the labels.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any, TypeAlias

from erstwhile.core.ports import Prompt

SETS = Path(__file__).parents[1] / "sets"
Proposals: TypeAlias = Mapping[str, Sequence[Mapping[str, Any]]]
"""The answer of a model. It names a known fact by the beginning of its text, after an "@"."""

_SHOWN = re.compile(r"<facts>\n((?:(?!<facts>).)*?)\n?</facts>", re.DOTALL)
_NOTE = re.compile(r'^\{"n":.*$', re.MULTILINE)
_UNSAID = dict.fromkeys(("key", "value", "valid_from", "expires"), "")
"""The fields that a model leaves empty."""


def answering(proposals: Proposals) -> Callable[[Prompt], dict[str, Any]]:
    """Return a function that answers the first question with the proposals."""
    return partial(_answer, proposals)


def _answer(proposals: Proposals, prompt: Prompt) -> dict[str, Any]:
    """Return the answer with the ids that the prompt shows.

    A model cannot name a fact that it is not shown: then it adds instead of replacing.
    """
    [block] = _SHOWN.findall(prompt.user)
    known = [json.loads(line) for line in block.splitlines() if line]
    added: list[dict[str, Any]] = [{**_UNSAID, **each} for each in proposals.get("add", ())]
    replacing, ended = list[dict[str, Any]](), list[dict[str, Any]]()
    for each in proposals.get("supersede", ()):
        named = [id for name in each["ids"] if (id := _shown_id(name, known))]
        (replacing if named else added).append({**_UNSAID, **each, "ids": named})
    for each in proposals.get("end", ()):
        if id := _shown_id(each["id"], known):
            ended.append({**each, "id": id})
    return {"add": added, "supersede": replacing, "end": ended}


def _shown_id(name: str, known: Iterable[Mapping[str, Any]]) -> str | None:
    """Return the id of the fact that is named; a name without "@" is an id that a model made up."""
    if not name.startswith("@"):
        return name
    return next((each["id"] for each in known if each["text"].startswith(name[1:])), None)


def verifying(turn: str) -> Callable[[Prompt], dict[str, Any]]:
    """Return a function that answers the second question about a turn as recorded."""
    return partial(_verification, turn)


def was_verified(turn: str) -> bool:
    """Return whether answers about a turn were recorded."""
    return turn in _recorded()


def _verification(turn: str, prompt: Prompt) -> dict[str, Any]:
    """Return the recorded answers about a turn."""
    return verifying_notes(_recorded().get(turn, ()))(prompt)


def verifying_notes(
    recorded: Iterable[Mapping[str, str]],
) -> Callable[[Prompt], dict[str, Any]]:
    """Return a function that gives these answers; a note without one gets an empty answer."""
    known = {_about(each): each["answer"] for each in recorded}
    return partial(_answers, known)


def _answers(known: Mapping[tuple[str, ...], str], prompt: Prompt) -> dict[str, Any]:
    notes = map(json.loads, _NOTE.findall(prompt.user))
    return {"answers": [{"n": each["n"], "answer": known.get(_about(each), "")} for each in notes]}


def _about(note: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(note.get(name, "") for name in ("statement", "fact", "new"))


@cache
def _recorded() -> Mapping[str, Sequence[Mapping[str, str]]]:
    found: dict[str, Sequence[Mapping[str, str]]] = json.loads(
        (SETS / "second_answers.json").read_text("utf-8")
    )
    return found
