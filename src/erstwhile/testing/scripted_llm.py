"""A language model with scripted answers, for tests."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from erstwhile.adapters.llm.failures import was_cancelled
from erstwhile.core.ports import Completion, Prompt

Answer: TypeAlias = Completion | str | Mapping[str, Any] | BaseException


class ScriptedLlm:
    """Returns its answers in order: a text, an object as JSON, or an error to raise.

    An answer may also be a function of the prompt that returns one of these. A call without an
    answer left fails the test.
    """

    def __init__(
        self, *script: Answer | Callable[[Prompt], Answer], model: str = "scripted"
    ) -> None:
        self.model = model
        self.script = deque(script)
        """The answers that are left."""
        self.prompts: list[Prompt] = []
        """Every prompt that it received."""

    def complete(self, prompt: Prompt, cancelled: Callable[[], bool] = lambda: False) -> Completion:
        if cancelled():
            raise was_cancelled()
        self.prompts.append(prompt)
        assert self.script, f"no answer is left for prompt {len(self.prompts)}"
        answer = self.script.popleft()
        return _completion(answer(prompt) if callable(answer) else answer)


def _completion(answer: Answer) -> Completion:
    if isinstance(answer, BaseException):
        raise answer
    if isinstance(answer, Completion):
        return answer
    text = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
    return Completion(text=text)
