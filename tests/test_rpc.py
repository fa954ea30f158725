"""Arguments and results as JSON, and back."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from erstwhile import InvalidInputError, Scope
from erstwhile.core import errors
from erstwhile.core.public_record import to_json
from erstwhile.rpc.codec import decode, encode_argument
from erstwhile.rpc.problems import error_codes, error_of, problem_of
from erstwhile.rpc.verbs import verbs
from erstwhile.types import Ending, Relation

MOMENT = datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)
FITTING: list[tuple[Any, Any]] = [
    (None, int | None),
    (5, int | None),
    (MOMENT, datetime | None),
    (timedelta(days=-1, microseconds=5), str | timedelta),
    (Decimal("0.10"), Decimal),
    (("a", 1), tuple[str, int]),
    ((Relation("a", "likes", "b"),), tuple[Relation, ...]),
    ({"wrong": Ending.WRONG}, dict[str, Ending]),
    (Scope(user="ana"), Scope),
]
UNFITTING: list[tuple[Any, Any]] = [
    ("1", int | None),
    (True, int),
    (1.5, int),
    (2**63, int),
    (float("inf"), float),
    (None, str),
    ("nonsense", Ending),
    ("2026-01-02T03:04:05", datetime),
    (["a"], tuple[str, str]),
    ("abc", list[str]),
    ({"user": "ana", "usr": "ben"}, Scope),
    ({"user": 5}, Scope),
]


@pytest.mark.parametrize(("value", "hint"), FITTING)
def test_a_value_comes_back_as_it_was(value: Any, hint: Any) -> None:
    assert decode(to_json(value), hint, "it", strict=True) == value


@pytest.mark.parametrize(("value", "hint"), UNFITTING)
def test_another_type_is_refused(value: Any, hint: Any) -> None:
    with pytest.raises(InvalidInputError, match="it"):
        decode(value, hint, "it", strict=True)


def test_an_answer_may_have_more_fields_than_we_know() -> None:
    newer = {"user": "ana", "team": "x"}
    assert decode(newer, Scope | None, "it", strict=False) == Scope(user="ana")


@pytest.mark.parametrize("value", [b"bytes", object(), float("nan"), {1: 2}])
def test_what_has_no_form_in_json_is_not_sent(value: object) -> None:
    with pytest.raises(InvalidInputError):
        encode_argument(value)


def test_every_type_of_every_verb_can_be_read() -> None:
    """Each refuses an object that is no JSON, but those that take any JSON."""
    free = {"decisions.export"}
    for verb in verbs().values():
        if verb.name not in free:
            with pytest.raises(InvalidInputError):
                decode(object(), verb.result, "it", strict=True)
        for parameter in verb.parameters.values():
            with pytest.raises(InvalidInputError):
                decode(object(), parameter.hint, "it", strict=True)


def test_every_error_comes_back_as_itself() -> None:
    for code, kind in error_codes().items():
        made = error_of({"code": code, "detail": "m", "remedy": "r", "candidates": ["a"]})
        assert type(made) is kind
        assert problem_of(made)["code"] == code
        assert (made.message, made.remedy) == ("m", "r")
    assert len(error_codes()) == sum(isinstance(each, type) for each in vars(errors).values())
