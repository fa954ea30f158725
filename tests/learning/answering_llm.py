"""A language model that understands one sentence: "I own a THING.", and confirms it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from erstwhile.core.ports import Completion, Prompt
from tests.learning.extraction_answers import adding, fact
from tests.learning.verification_answers import is_verification, verifying

_OWNED = re.compile(r"I own a (\w+)\.")


class AnsweringLlm:
    """A model that answers at once."""

    model = "answering"

    def __init__(self) -> None:
        self.prompts: list[Prompt] = []
        """The prompts of extraction."""

    def complete(self, prompt: Prompt, cancelled: Callable[[], bool] = lambda: False) -> Completion:
        assert not cancelled()
        if is_verification(prompt):
            return Completion(text=json.dumps(verifying()(prompt)), input=50, output=5)
        self.prompts.append(prompt)
        owned = _OWNED.findall(prompt.user.partition("<turn>")[2])
        facts = (fact(f"The user owns a {each}", quote=f"I own a {each}") for each in owned)
        return Completion(text=json.dumps(adding(*facts)), input=100, output=10)
