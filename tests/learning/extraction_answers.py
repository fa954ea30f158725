"""What a language model that learns may answer, for tests that script one."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from erstwhile.core.ports import Prompt

Answer: TypeAlias = dict[str, list[dict[str, Any]]]
_FACTS = re.compile(r"<facts>\n(.*?)\n?</facts>", re.DOTALL)
NOTHING: Answer = {"add": [], "supersede": [], "end": []}


def fact(text: str, kind: str = "fact", *, line: int = 1, **fields: Any) -> dict[str, Any]:
    """A fact as the model would write it."""
    usual = {"entities": [], "relations": [], "valid_from": "", "expires": "", "key": ""}
    return {"text": text, "kind": kind, "lines": [line], **usual, **fields}


def adding(*facts: Mapping[str, Any]) -> Answer:
    """An answer that adds these facts."""
    return {**NOTHING, "add": [dict(each) for each in facts]}


def superseding(old: str, new: Mapping[str, Any]) -> Callable[[Prompt], Answer]:
    """An answer that puts a fact in the place of the one with this text, by its id."""
    return lambda prompt: {**NOTHING, "supersede": [{"ids": [shown_id(prompt, old)], **new}]}


def ending(old: str, *, line: int = 1) -> Callable[[Prompt], Answer]:
    """An answer that says that the fact with this text is no longer so."""
    return lambda prompt: {**NOTHING, "end": [{"id": shown_id(prompt, old), "lines": [line]}]}


def shown_facts(prompt: Prompt) -> dict[str, str]:
    """The ids of the facts that the model was shown, by their texts."""
    [block] = _FACTS.findall(prompt.user)
    shown = [json.loads(line) for line in block.splitlines() if line]
    return {each["text"]: each["id"] for each in shown}


def shown_id(prompt: Prompt, text: str) -> str:
    shown = shown_facts(prompt)
    assert text in shown, f"{text!r} was not shown, only {sorted(shown)}"
    return shown[text]
