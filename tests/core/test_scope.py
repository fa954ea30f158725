"""Which viewers may see and change a record."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from erstwhile import InvalidInputError, Scope, ScopeError
from erstwhile.core.scope import DIMENSIONS, SHARED, Viewer

NAMES = st.none() | st.sampled_from(["x", "y"])
SCOPES = st.builds(Scope, user=NAMES, agent=NAMES, project=NAMES, session=NAMES)


@given(SCOPES, SCOPES)
def test_a_record_is_visible_when_each_set_dimension_is_the_reader_s(
    reader: Scope, owner: Scope
) -> None:
    """On an unset dimension a viewer sees only shared records."""
    pairs = [(getattr(reader, name), getattr(owner, name)) for name in DIMENSIONS]
    assert reader.sees(owner) is all(theirs in (None, ours) for ours, theirs in pairs)


@given(SCOPES, SCOPES)
def test_two_who_see_each_other_are_one(one: Scope, other: Scope) -> None:
    """Visibility is a partial order."""
    assert (one.sees(other) and other.sees(one)) is (one == other)


@given(SCOPES)
def test_everybody_sees_the_shared_and_themselves(scope: Scope) -> None:
    assert scope.sees(SHARED)
    assert scope.sees(scope)
    assert SHARED.sees(scope) is (scope == SHARED)


@given(SCOPES, SCOPES)
def test_narrowing_adds_and_never_changes(scope: Scope, more: Scope) -> None:
    wanted = {name: getattr(more, name) for name in DIMENSIONS}
    clash = any(
        getattr(scope, name) is not None and value not in (None, getattr(scope, name))
        for name, value in wanted.items()
    )
    if clash:
        with pytest.raises(ScopeError):
            scope.narrowed(**wanted)
    else:
        narrower = scope.narrowed(**wanted)
        assert narrower.sees(scope)
        assert narrower.sees(more)


@pytest.mark.parametrize("dimension", DIMENSIONS)
@pytest.mark.parametrize(
    "bad", ["", " ", " x", "x ", "a\nb", "a\0", "\ud800", "x" * 201, 5, b"x"], ids=ascii
)
def test_a_name_must_be_a_clean_label(dimension: str, bad: Any) -> None:
    """A blank name would be stored like a shared dimension."""
    with pytest.raises(InvalidInputError, match=dimension):
        Scope(**{dimension: bad})


def test_a_scope_is_written_out() -> None:
    assert str(SHARED) == "shared"
    assert str(Scope(user="ana", project="shop")) == "user=ana project=shop"


@pytest.mark.parametrize(
    ("viewer", "actor"),
    [
        (Viewer(), "anyone"),
        (Viewer(scope=Scope(user="ana")), "user:ana"),
        (Viewer(scope=Scope(user="ana", agent="coder")), "agent:coder"),
        (Viewer(scope=Scope(project="shop")), "anyone"),
        (Viewer(everything=True), "administrator"),
        (Viewer(name="a script", everything=True), "a script"),
    ],
)
def test_a_viewer_has_a_name_on_the_trail(viewer: Viewer, actor: str) -> None:
    assert viewer.actor == actor


@pytest.mark.parametrize("bad", ["", " ", "a\nb", "\ud800", "a\0"], ids=ascii)
def test_an_actor_must_be_a_clean_label(bad: str) -> None:
    """It is part of the audit trail, which must stay readable."""
    with pytest.raises(InvalidInputError, match="actor"):
        Viewer(name=bad)


@given(SCOPES, SCOPES)
def test_only_the_owner_and_the_administrator_may_change(reader: Scope, owner: Scope) -> None:
    assert Viewer(scope=reader).may_change(owner) is (reader == owner)
    assert Viewer(everything=True).may_change(owner)
