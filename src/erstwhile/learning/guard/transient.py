"""Transient: what holds for this hour only, and what a tool could not do today.

Both would be wrong tomorrow, and the second stops an agent from trying again. A `state` that
expires may say the first. The rules are in `transient.toml`.
"""

from __future__ import annotations

from collections.abc import Iterator

from erstwhile.core.policy import Policy
from erstwhile.learning.guard import patterns
from erstwhile.learning.verdict import Verdict


def check(text: str, _policy: Policy) -> Iterator[Verdict]:
    yield from patterns.verdicts("transient", text)
