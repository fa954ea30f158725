"""Parameters that a server does not take: they are left out, and that is remembered.

Servers that say they are compatible differ in what they know, and so do the models of one vendor.
Asking what they take is not possible, so they are asked with everything first. That a parameter was
the reason is only believed when the same question without it is answered.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from erstwhile.adapters.llm.failures import complaint, is_too_long

Answer = TypeVar("Answer")


class Refusals:
    """What one model at one server refused so far."""

    def __init__(self, patterns: Mapping[str, re.Pattern[str]]) -> None:
        """For each parameter that can be left out, the words by which servers refuse it."""
        self._patterns = patterns
        self._known: frozenset[str] = frozenset()

    def ask(
        self, build: Callable[[frozenset[str]], dict[str, Any]], send: Callable[..., Answer]
    ) -> Answer:
        """Send what `build` makes without the refused parameters, until none more is refused."""
        refused = self._known
        while True:
            asked = build(refused)
            try:
                answer = send(**asked)
            except Exception as error:
                name = self._refused(error, asked)
                if name is None:
                    raise
                refused |= {name}
            else:
                self._known |= refused
                return answer

    def _refused(self, error: Any, asked: Mapping[str, Any]) -> str | None:
        """The parameter that a server complains of first."""
        if getattr(error, "status_code", None) not in (400, 422) or is_too_long(error):
            return None
        param = getattr(error, "param", None)
        said = param if isinstance(param, str) and param else complaint(error)
        found = [
            (match.start(), name)
            for name, pattern in self._patterns.items()
            if name in asked and (match := pattern.search(said))
        ]
        return min(found)[1] if found else None
