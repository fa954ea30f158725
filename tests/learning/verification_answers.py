"""Answers of verification, for tests that script one."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any

from erstwhile.core.ports import Completion, Prompt
from erstwhile.learning.verify import SCHEMA
from erstwhile.testing.scripted_llm import ScriptedLlm

_TURN = re.compile(r"<turn>\n(.*)\n</turn>", re.DOTALL)
_NOTE = re.compile(r'^\{"n":.*$', re.MULTILINE)


def notes(prompt: Prompt) -> list[dict[str, Any]]:
    """Return the notes that verification asks about."""
    return [json.loads(line) for line in _NOTE.findall(prompt.user)]


def verifying(
    statement: str = "said", fact: str = "goes on", *, wrong: Collection[str] = ()
) -> Callable[[Prompt], dict[str, Any]]:
    """Return the model that answers so about each statement, and so about each known fact.

    Of the facts with a text in `wrong` it says that they were never true.
    """

    def said(note: dict[str, Any]) -> str:
        return statement if "statement" in note else "never so" if note["fact"] in wrong else fact

    def answer(prompt: Prompt) -> dict[str, Any]:
        return {"answers": [{"n": each["n"], "answer": said(each)} for each in notes(prompt)]}

    return answer


def is_verification(prompt: Prompt) -> bool:
    return prompt.schema is SCHEMA


class FakeLlm(ScriptedLlm):
    """A model with scripted answers of extraction, which answers verification by itself.

    It confirms every statement, and says that each fact that a proposal names is over. A proposal
    with an empty quotation quotes the user's message.
    """

    def __init__(self, *script: Any) -> None:
        super().__init__(*script)
        self.verifies = verifying("said", "over")
        self.asked_again: list[Prompt] = []
        """The prompts of verification; `prompts` has those of extraction."""

    def complete(self, prompt: Prompt, cancelled: Callable[[], bool] = lambda: False) -> Completion:
        if is_verification(prompt):
            self.asked_again.append(prompt)
            return Completion(text=json.dumps(self.verifies(prompt)))
        answer = super().complete(prompt, cancelled)
        return replace(answer, text=_with_quotations(answer.text, prompt))


def _with_quotations(answer: str, prompt: Prompt) -> str:
    try:
        lists = json.loads(answer)
    except (TypeError, ValueError):
        return answer
    lines = [json.loads(line) for line in _TURN.findall(prompt.user)[0].splitlines()]
    said = next((line["text"] for line in lines if line["role"] == "user"), "")
    for item in (item for each in lists.values() if isinstance(each, list) for item in each):
        if isinstance(item, dict) and item.get("quote") == "":
            item["quote"] = said
    return json.dumps(lists)
