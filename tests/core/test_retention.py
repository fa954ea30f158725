"""Limits of retention that cannot be meant."""

from __future__ import annotations

from typing import Any

import pytest

from erstwhile import InvalidInputError
from erstwhile.core.policies import parse_retention


@pytest.mark.parametrize(
    "limit", [None, 1.5, True, -5, b"1 year", {"age": "1 year"}, [None], ["1 year", -5]], ids=repr
)
def test_a_limit_of_another_type_is_refused(limit: Any) -> None:
    with pytest.raises(InvalidInputError, match="retention of messages is no age"):
        parse_retention({"messages": limit})


def test_two_ages_of_one_kind_are_refused() -> None:
    with pytest.raises(InvalidInputError, match="limits messages twice"):
        parse_retention({"messages": ["1 year", "2 years"]})
