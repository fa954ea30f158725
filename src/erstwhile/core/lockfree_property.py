"""A property that is worked out once, without a lock.

Before Python 3.12, that of `functools` holds one for all objects of a class. A process that forks
while another thread works something out leaves its child with a lock that nobody releases.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, TypeVar

Value = TypeVar("Value")


class cached_property(functools.cached_property[Value]):  # noqa: N801 (as the original is called)
    """Two threads that come at once both work it out: it must not matter whose value stays."""

    if not TYPE_CHECKING:

        def __get__(self, instance: Any, owner: type | None = None) -> Any:
            if instance is None:
                return self
            value = instance.__dict__[self.attrname] = self.func(instance)
            return value
