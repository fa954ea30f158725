"""Answers of verification, for tests that script one."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from erstwhile.core.ports import Prompt

_NOTE = re.compile(r'^\{"n":.*$', re.MULTILINE)


def notes(prompt: Prompt) -> list[dict[str, Any]]:
    """Return the notes that verification asks about."""
    return [json.loads(line) for line in _NOTE.findall(prompt.user)]


def verifying(statement: str = "said", fact: str = "goes on") -> Callable[[Prompt], dict[str, Any]]:
    """Return the model that answers so about each statement, and so about each known fact."""

    def answer(prompt: Prompt) -> dict[str, Any]:
        told = ((each["n"], statement if "statement" in each else fact) for each in notes(prompt))
        return {"answers": [{"n": number, "answer": each} for number, each in told]}

    return answer
