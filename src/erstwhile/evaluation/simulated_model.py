"""A simulated language model: the written answer to a turn, with the ids that the prompt shows."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

from erstwhile.core.ports import Prompt

Proposals: TypeAlias = Mapping[str, Sequence[Mapping[str, Any]]]
"""The answer of a model. It names a known fact by the beginning of its text, after an "@"."""

_SHOWN = re.compile(r"<facts>\n((?:(?!<facts>).)*?)\n?</facts>", re.DOTALL)
_UNSAID = dict.fromkeys(("key", "value", "valid_from", "expires"), "")
"""The fields that a model leaves empty."""


def answering(proposals: Proposals) -> Callable[[Prompt], dict[str, Any]]:
    """Return a function that answers a prompt with the proposals."""
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
