"""Filters of facts as parameters of statements."""

from __future__ import annotations

from typing import Any

import pytest

from erstwhile import InvalidInputError
from erstwhile.facts.queries import Filters, text_params, wanted_state
from erstwhile.types import Kind, State

NOTHING = {"kinds": "", "tag": None, "entity": None, "key": None, "contains": None}


def test_what_is_left_out_does_not_narrow() -> None:
    assert text_params({}) == NOTHING
    assert text_params({"kind": None, "tag": None, "contains": None}) == NOTHING


def test_filters_are_folded_like_what_they_are_compared_with() -> None:
    asked: Filters = {"tag": " RED ", "entity": "Ａna", "key": "A  b", "contains": "50% É"}
    assert text_params(asked) == {
        "kinds": "", "tag": "red", "entity": "ana", "key": "a b", "contains": "%50\\% é%",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "kinds"),
    [("fact", ",fact,"), (Kind.EVENT, ",event,"), (["fact", Kind.EVENT], ",fact,event,"),
     (("state",), ",state,")],
)  # fmt: skip
def test_kinds_are_one_or_several(kind: Any, kinds: str) -> None:
    """Separated so that no kind is found inside another."""
    assert text_params({"kind": kind})["kinds"] == kinds


@pytest.mark.parametrize("kind", ["", [], (), "x", ["fact", "x"], ",fact,", "fact,event", [None]])
def test_no_kind_never_means_every_kind(kind: Any) -> None:
    with pytest.raises(InvalidInputError):
        text_params({"kind": kind})


def test_the_state_is_live_unless_said() -> None:
    assert wanted_state({}) is State.LIVE
    assert wanted_state({"deleted": True}) is State.DELETED
    assert wanted_state({"deleted": False, "state": "any"}) is State.ANY
    with pytest.raises(InvalidInputError):
        wanted_state({"state": "gone"})


def test_deleted_facts_are_listed_by_their_own_filter() -> None:
    with pytest.raises(InvalidInputError, match="deleted=True"):
        wanted_state({"state": "deleted"})
    with pytest.raises(InvalidInputError, match="combined"):
        wanted_state({"state": "live", "deleted": True})


def test_an_unknown_filter_is_a_type_error() -> None:
    wrong: Any = {"contians": "x", "tags": "y"}
    with pytest.raises(TypeError, match="did you mean 'contains'"):
        text_params(wrong)
