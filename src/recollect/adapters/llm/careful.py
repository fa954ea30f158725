"""A language model, asked with patience: again when it may help, and not while it is down."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from recollect.adapters.llm.breaker import Breaker
from recollect.adapters.llm.watching import SLICE, interrupted
from recollect.adapters.patience import LONGEST_PAUSE, backoff
from recollect.model.errors import LlmError
from recollect.model.usage import Tokens
from recollect.ports import Completion, Llm, Prompt

TRIES = 3


class CarefulLlm:
    """Tries a few times what may pass, waits as long as the server asks, and can be cancelled."""

    def __init__(
        self,
        llm: Llm,
        breaker: Breaker | None = None,
        *,
        tries: int = TRIES,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._llm = llm
        self._breaker = breaker or Breaker()
        self._tries = tries
        self._sleep = sleep

    def __repr__(self) -> str:
        return f"<CarefulLlm {self._llm!r}>"

    @property
    def model(self) -> str:
        return self._llm.model

    def complete(self, prompt: Prompt, cancelled: Callable[[], bool] = lambda: False) -> Completion:
        with self._breaker.passing(cancelled):
            return self._persistently(prompt, cancelled)

    def _persistently(self, prompt: Prompt, cancelled: Callable[[], bool]) -> Completion:
        """What fruitless tries took is part of what the last one tells that it took."""
        spent, attempt = Tokens(), 0
        while True:
            attempt += 1
            try:
                return _with(self._once(prompt, cancelled), spent)
            except LlmError as error:
                spent = error.spent = spent + (error.spent or Tokens())
                asked = error.retry_after or 0.0
                if not error.retryable or asked > LONGEST_PAUSE or attempt == self._tries:
                    raise
            self._wait(asked + backoff(attempt), cancelled)

    def _once(self, prompt: Prompt, cancelled: Callable[[], bool]) -> Completion:
        if cancelled():
            raise interrupted()
        return self._llm.complete(prompt, cancelled)

    def _wait(self, seconds: float, cancelled: Callable[[], bool]) -> None:
        while seconds > 0:
            if cancelled():
                raise interrupted()
            self._sleep(min(seconds, SLICE))
            seconds -= SLICE


def _with(answer: Completion, spent: Tokens) -> Completion:
    """An answer that also took what was spent before it."""
    took = answer.tokens + spent
    return replace(
        answer,
        input=took.input,
        output=took.output,
        cache_read=took.cache_read,
        cache_write=took.cache_write,
    )
