"""A language model, asked with patience: again when it may help, and not while it is down."""

from __future__ import annotations

import time
from collections.abc import Callable

from recollect.adapters.llm.breaker import Breaker
from recollect.adapters.llm.watching import SLICE, interrupted
from recollect.adapters.patience import LONGEST_PAUSE, backoff
from recollect.model.errors import LlmError
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
        for attempt in range(1, self._tries):
            try:
                return self._once(prompt, cancelled)
            except LlmError as error:
                asked = error.retry_after or 0.0
                if not error.retryable or asked > LONGEST_PAUSE:
                    raise
            self._wait(asked + backoff(attempt), cancelled)
        return self._once(prompt, cancelled)

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
