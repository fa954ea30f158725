"""The length of a learned fact."""

from __future__ import annotations

import pytest

from erstwhile.core.policies import Policy
from erstwhile.learning.guard.checks import examine
from tests.learning.guard.turns import rules


@pytest.mark.parametrize("text", ["喝茶", "他姓王", "tea", "x" * 1_000])
def test_short_facts_are_kept(text: str) -> None:
    """There is no minimum: a Chinese fact may have two characters."""
    assert examine(text) == ()


@pytest.mark.parametrize(("text", "rule"), [("x" * 1_001, "size/long"), (" \n", "size/blank")])
def test_what_is_too_long_or_blank_is_refused(text: str, rule: str) -> None:
    (verdict,) = examine(text)
    assert (verdict.action, verdict.rule) == ("refuse", rule)


def test_the_limit_is_the_policy_s() -> None:
    assert rules(examine("12345", Policy(longest=4))) == ["size/long"]
