"""A language model that says what a test wrote down for it."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from erstwhile.adapters.llm.cancellable_call import was_cancelled
from erstwhile.core.ports import Completion, Prompt

Answer: TypeAlias = Completion | str | Mapping[str, Any] | BaseException


class ScriptedLlm:
    """Gives its answers one after the other: a text, an object as JSON, or an error to raise.

    An answer may also be a function of the prompt that gives one of these. A question for which
    nothing is left is a mistake in the test, and fails it.
    """

    def __init__(
        self, *script: Answer | Callable[[Prompt], Answer], model: str = "scripted"
    ) -> None:
        self.model = model
        self.script = deque(script)
        """What it has still to say."""
        self.prompts: list[Prompt] = []
        """Every question that it was asked."""

    def complete(self, prompt: Prompt, cancelled: Callable[[], bool] = lambda: False) -> Completion:
        if cancelled():
            raise was_cancelled()
        self.prompts.append(prompt)
        assert self.script, f"nothing is left to say to question {len(self.prompts)}"
        said = self.script.popleft()
        return _completion(said(prompt) if callable(said) else said)


def _completion(said: Answer) -> Completion:
    if isinstance(said, BaseException):
        raise said
    if isinstance(said, Completion):
        return said
    return Completion(text=said if isinstance(said, str) else json.dumps(said, ensure_ascii=False))
