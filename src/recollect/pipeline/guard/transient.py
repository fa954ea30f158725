"""Transient: what holds for this hour only, and what a tool could not do today.

Both would be wrong tomorrow, and the second stops an agent from trying again. A `state` that
expires may say the first. The rules are in `transient.toml`.
"""

from __future__ import annotations

from collections.abc import Iterator

from recollect.model.policy import Policy
from recollect.model.verdict import Verdict
from recollect.pipeline.guard import patterns


def check(text: str, _policy: Policy) -> Iterator[Verdict]:
    yield from patterns.verdicts("transient", text)
