"""Fixtures of the tests of learning."""

from __future__ import annotations

import pytest

from erstwhile.learning import evaluate_turn


@pytest.fixture
def rules_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the network out, which may outweigh rules or object to what they believe."""
    monkeypatch.setattr(evaluate_turn, "reader_of", lambda _: None)
