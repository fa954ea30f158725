"""Parameters that a server does not support: they are left out of later calls.

Compatible servers differ in the parameters that they support, and so do the models of one vendor.
They cannot be asked for the list, so the first call has all parameters. A parameter counts as
refused only if the same call succeeds without it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from erstwhile.adapters.llm.failures import complaint, is_too_long

Answer = TypeVar("Answer")


class Refusals:
    """The parameters that one model at one server has refused so far."""

    def __init__(self, patterns: Mapping[str, re.Pattern[str]]) -> None:
        """Take a pattern per optional parameter: the words by which servers refuse it."""
        self._patterns = patterns
        self._known: frozenset[str] = frozenset()

    def ask(
        self, build: Callable[[frozenset[str]], dict[str, Any]], send: Callable[..., Answer]
    ) -> Answer:
        """Send the arguments from `build`, leaving out parameters until none is refused."""
        refused = self._known
        while True:
            arguments = build(refused)
            try:
                answer = send(**arguments)
            except Exception as error:
                name = self._refused(error, arguments)
                if name is None:
                    raise
                refused |= {name}
            else:
                self._known |= refused
                return answer

    def _refused(self, error: Any, arguments: Mapping[str, Any]) -> str | None:
        """Return the parameter that the server names first in its error."""
        if getattr(error, "status_code", None) not in (400, 422) or is_too_long(error):
            return None
        param = getattr(error, "param", None)
        text = param if isinstance(param, str) and param else complaint(error)
        found = [
            (match.start(), name)
            for name, pattern in self._patterns.items()
            if name in arguments and (match := pattern.search(text))
        ]
        return min(found)[1] if found else None
