"""Answers of a language model, for tests that script one."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from erstwhile.core.ports import Prompt

Answer: TypeAlias = dict[str, list[dict[str, Any]]]
_FACTS = re.compile(r"<facts>\n(.*?)\n?</facts>", re.DOTALL)
NOTHING: Answer = {"add": [], "supersede": [], "end": []}


def fact(text: str, kind: str = "fact", *, quote: str = "", **fields: Any) -> dict[str, Any]:
    """Return a fact as the model writes it."""
    usual = dict.fromkeys(("valid_from", "expires", "key", "value"), "")
    return {"text": text, "quote": quote, "kind": kind, "entities": [], "relations": [], **usual,
            **fields}  # fmt: skip


def adding(*facts: Mapping[str, Any]) -> Answer:
    """Return an answer that adds these facts."""
    return {**NOTHING, "add": [dict(each) for each in facts]}


def superseding(old: str, new: Mapping[str, Any], *others: str) -> Callable[[Prompt], Answer]:
    """Return an answer that replaces the facts with these texts, by their ids."""

    def answer(prompt: Prompt) -> Answer:
        ids = [shown_id(prompt, each) for each in (old, *others)]
        return {**NOTHING, "supersede": [{"ids": ids, **new}]}

    return answer


def ending(old: str, *, quote: str = "") -> Callable[[Prompt], Answer]:
    """Return an answer that ends the fact with this text."""
    return lambda prompt: {**NOTHING, "end": [{"id": shown_id(prompt, old), "quote": quote}]}


def shown_facts(prompt: Prompt) -> dict[str, str]:
    """Return the ids of the facts in a prompt, by their texts."""
    [block] = _FACTS.findall(prompt.user)
    shown = [json.loads(line) for line in block.splitlines() if line]
    return {each["text"]: each["id"] for each in shown}


def shown_id(prompt: Prompt, text: str) -> str:
    shown = shown_facts(prompt)
    assert text in shown, f"{text!r} was not shown, only {sorted(shown)}"
    return shown[text]
