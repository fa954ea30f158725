"""A language model that understands one sentence: "I own a THING."."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from erstwhile.core.ports import Completion, Prompt
from tests.learning.extraction_answers import adding, fact

_OWNED = re.compile(r"I own a (\w+)\.")


class AnsweringLlm:
    """A model that answers at once."""

    model = "answering"

    def __init__(self) -> None:
        self.prompts: list[Prompt] = []

    def complete(self, prompt: Prompt, cancelled: Callable[[], bool] = lambda: False) -> Completion:
        assert not cancelled()
        self.prompts.append(prompt)
        owned = _OWNED.findall(prompt.user.partition("<turn>")[2])
        answer = adding(*(fact(f"The user owns a {thing}") for thing in owned))
        return Completion(text=json.dumps(answer), input=100, output=10)
