"""Injection: words that speak to a model, and not of the world; see `injection.toml`."""

from __future__ import annotations

from collections.abc import Iterator

from recollect.model.policy import Policy
from recollect.model.verdict import Verdict
from recollect.pipeline.guard import patterns


def check(text: str, _policy: Policy) -> Iterator[Verdict]:
    yield from patterns.verdicts("injection", text)
