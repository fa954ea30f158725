"""Let the guard judge the texts of agents, but not while a transaction holds a lock.

A transaction that stores a text which nobody judged yet is rolled back. Then the text is judged,
and if the guard does not object, the transaction runs again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from erstwhile.core.errors import RefusedError

Guard: TypeAlias = Callable[[str, str], None]
"""Gets a text before and after a change; raises RefusedError if it objects to what is new."""
_MOST_TRIES = 8
"""Others may change a text meanwhile. After so many tries it is judged at once."""


class NotJudgedError(Exception):
    """A transaction stores a text that nobody judged. It is run again; no caller sees this."""


def no_guard(_old: str, _new: str) -> None:
    """Refuse every text: without a guard, an agent writes nothing."""
    raise RefusedError(
        "nothing here judges what an agent writes", remedy="open the memory with `erstwhile.open`"
    )


class JudgedTexts:
    """The texts that the guard has let pass, for one transaction that may run several times."""

    def __init__(self, guard: Guard) -> None:
        self._guard = guard
        self._passed: set[tuple[str, str]] = set()
        self._waiting: tuple[str, str] = "", ""
        self._tries = 0

    def check(self, old: str, new: str) -> None:
        """Let a text pass that was judged; else note it, and have the transaction run again."""
        self._waiting = old, new
        if self._waiting in self._passed:
            return
        if self._tries >= _MOST_TRIES:
            self.judge()
            return
        self._tries += 1
        raise NotJudgedError

    def judge(self) -> None:
        """Judge the text that was noted; raise RefusedError if the guard objects."""
        self._guard(*self._waiting)
        self._passed.add(self._waiting)
