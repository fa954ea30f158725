"""Unknown keyword arguments are refused, with the nearest known name."""

from __future__ import annotations

import re
from typing import TypedDict

import pytest

from erstwhile.core.arguments import check_keywords


class Base(TypedDict):
    goal: str


class Filters(Base, total=False):
    kind: str
    since: str


def test_known_keywords_pass_inherited_ones_too() -> None:
    check_keywords({}, Filters)
    check_keywords({"goal": "x", "kind": None}, Filters)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"gaol": 1}, "unknown keyword argument 'gaol'; did you mean 'goal'?"),
        ({"kind": 1, "kinds": 1}, "unknown keyword argument 'kinds'; did you mean 'kind'?"),
        ({"zzz": 1}, "unknown keyword argument 'zzz'; known are goal, kind, since"),
        ({"sinse": 1, "gaol": 1}, "unknown keyword argument 'gaol'; did you mean 'goal'?"),
    ],
)
def test_an_unknown_keyword_is_refused(given: dict[str, object], message: str) -> None:
    with pytest.raises(TypeError, match=f"^{re.escape(message)}$"):
        check_keywords(given, Filters)


def test_the_error_may_suggest_another_parameter_of_the_verb() -> None:
    with pytest.raises(TypeError, match="did you mean 'limit'"):
        check_keywords({"limt": 1}, Filters, "limit")
    with pytest.raises(TypeError, match="known are goal, kind, reason, since"):
        check_keywords({"because": 1}, Filters, "reason")
    with pytest.raises(TypeError, match="unknown keyword argument 'limit'"):
        check_keywords({"limit": 1}, Filters)


def test_the_error_does_not_repeat_values() -> None:
    with pytest.raises(TypeError) as raised:
        check_keywords({"gaol": "hunter2"}, Filters)
    assert "hunter2" not in str(raised.value)
