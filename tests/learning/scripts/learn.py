"""Learn from the pending turns of a file, and perhaps die in the middle without cleaning up.

Usage: learn.py FILE PLACE TURN, where PLACE is one of those below, "nowhere" or "race".
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from typing import Any

import erstwhile
from erstwhile.core.ports import Completion, Prompt
from erstwhile.learning import learn_turn, progress
from erstwhile.learning.learn_turn import TurnLearner
from tests.engines.processes import wait_for_start
from tests.learning.answering_llm import AnsweringLlm
from tests.learning.verification_answers import is_verification

DYING: dict[str, tuple[Any, str, bool]] = {
    "claimed": (TurnLearner, "learn", False),
    "judged": (learn_turn, "store", False),
    "stored": (learn_turn, "store", True),
    "finished": (progress, "finish", True),
    "committed": (TurnLearner, "learn", True),
}
"""The function at whose call the process dies, and whether it dies after the call."""
PLACES = ("asked", *DYING)


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


class MortalLlm(AnsweringLlm):
    """A model at whose call for one turn the process dies."""

    def __init__(self, turn: int) -> None:
        super().__init__()
        self._turn = turn

    def complete(self, prompt: Prompt, cancelled: Callable[[], bool] = lambda: False) -> Completion:
        if not is_verification(prompt) and len(self.prompts) + 1 == self._turn:
            die()
        return super().complete(prompt, cancelled)


def counted(turn: int, function: Any, *, after: bool) -> Any:
    """Wrap a function so that the process dies before or after its call for the turn."""
    calls = 0

    def called(*arguments: Any, **named: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == turn and not after:
            die()
        result = function(*arguments, **named)
        if calls == turn and after:
            die()
        return result

    return called


def main(file: str, place: str, turn: int) -> None:
    llm = MortalLlm(turn) if place == "asked" else AnsweringLlm()
    if place in DYING:
        owner, name, after = DYING[place]
        setattr(owner, name, counted(turn, getattr(owner, name), after=after))
    with erstwhile.open(file, llm=llm) as memory:
        if place == "race":
            wait_for_start()
        print(len(memory.scoped(user="ana").learn()))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
