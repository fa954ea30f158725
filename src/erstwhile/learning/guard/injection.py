"""Injection: words that speak to a model, and not of the world; see `injection.toml`."""

from __future__ import annotations

from collections.abc import Iterator

from erstwhile.core.policy import Policy
from erstwhile.learning.guard import patterns
from erstwhile.learning.verdict import Verdict


def check(text: str, _policy: Policy) -> Iterator[Verdict]:
    yield from patterns.verdicts("injection", text)
