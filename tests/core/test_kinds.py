"""The enumerations."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import pytest

from erstwhile import InvalidInputError
from erstwhile.core.kinds import NOT_DELETED, choice
from erstwhile.types import (
    ConversationStatus,
    Ending,
    Kind,
    LimitationStatus,
    Origin,
    State,
    TaskStatus,
    Tier,
    Trust,
)

VOCABULARIES = [Kind, Tier, Trust, Origin, Ending, State]


@pytest.mark.parametrize("options", VOCABULARIES)
def test_a_choice_is_a_member_or_its_name(options: type[StrEnum]) -> None:
    for member in options:
        assert choice(options, member, name="x") is member
        assert choice(options, str(member), name="x") is member


@pytest.mark.parametrize("options", VOCABULARIES)
@pytest.mark.parametrize("wrong", ["", "FACT", " fact", "facts", None, 5, ["fact"], b"fact"])
def test_anything_else_is_refused_with_the_list(options: type[StrEnum], wrong: Any) -> None:
    with pytest.raises(InvalidInputError, match="unknown word") as caught:
        choice(options, wrong, name="word")
    assert all(member in caught.value.remedy for member in options)


@pytest.mark.parametrize("options", [ConversationStatus, LimitationStatus, TaskStatus])
def test_deleted_is_no_status(options: type[StrEnum]) -> None:
    with pytest.raises(InvalidInputError, match="deleted=True"):
        choice(options, "deleted", name="status", instead=NOT_DELETED)


def test_a_refused_member_is_not_offered() -> None:
    """A remedy lists only what the caller may use."""
    for wrong in ("deleted", State.DELETED):
        with pytest.raises(InvalidInputError, match="deleted=True"):
            choice(State, wrong, name="state", instead=NOT_DELETED)
    with pytest.raises(InvalidInputError) as caught:
        choice(State, "Deleted", name="state", instead=NOT_DELETED)
    assert "deleted" not in caught.value.remedy


def test_a_member_of_another_vocabulary_is_no_choice() -> None:
    """Some words are in several enumerations."""
    assert choice(State, Trust.QUARANTINED, name="state") is State.QUARANTINED
    with pytest.raises(InvalidInputError):
        choice(Kind, Trust.TRUSTED, name="kind")


def test_tiers_are_in_order_of_their_caps() -> None:
    assert [tier.cap for tier in Tier] == [0.7, 0.9, 1.0]


def test_only_what_comes_from_outside_is_quarantined() -> None:
    """The trusted origins are listed here, so that a new one is a decision."""
    trusted = {origin for origin in Origin if origin.trust is Trust.TRUSTED}
    assert trusted == {Origin.PERSON, Origin.AGENT, Origin.LEARNED, Origin.IMPORTED}
    stated = {origin for origin in Origin if origin.tier is Tier.STATED}
    assert stated == {Origin.PERSON, Origin.IMPORTED}
