"""Learn from what waits in a file, and if told so die in the middle, with no chance to clean up.

Usage: learn.py FILE PLACE TURN, where PLACE is one of those below, "nowhere" or "race".
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import erstwhile
from erstwhile.core.ports import Completion, Prompt
from erstwhile.learning import learn_turn as learning_turns
from erstwhile.learning import loop as draining
from erstwhile.learning import progress_table as learning_progress
from tests.engines.scripts import starting_line
from tests.learning.answering import AnsweringLlm

DYING: dict[str, tuple[ModuleType, str, bool]] = {
    "claimed": (draining, "learn_turn", False),
    "judged": (learning_turns, "store", False),
    "stored": (learning_turns, "store", True),
    "finished": (learning_progress, "finish", True),
    "committed": (draining, "learn_turn", True),
}
"""At which call it dies, before or after it."""
PLACES = ("asked", *DYING)


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


class MortalLlm(AnsweringLlm):
    """Dies at the question about the turn that it was told."""

    def __init__(self, turn: int) -> None:
        super().__init__()
        self._turn = turn

    def complete(self, prompt: Prompt, cancelled: Callable[[], bool] = lambda: False) -> Completion:
        if len(self.prompts) + 1 == self._turn:
            die()
        return super().complete(prompt, cancelled)


def counted(turn: int, function: Any, *, after: bool) -> Any:
    """The function, at whose call for the turn the process dies, before it or after it."""
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
        module, name, after = DYING[place]
        vars(module)[name] = counted(turn, vars(module)[name], after=after)
    with erstwhile.open(file, llm=llm) as memory:
        if place == "race":
            starting_line.wait()
        print(len(memory.scoped(user="ana").learn()))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
