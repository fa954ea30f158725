"""Reconciliation, as far as the contracts of verification and corrections do not show it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from erstwhile import Fact, Scope
from erstwhile.learning.candidate import About, Candidate, ChangeType, FactStatus
from erstwhile.learning.reconcile import storing_scope
from erstwhile.types import Ending, Kind, Origin
from tests.learning.facts_and_candidates import (
    ANA,
    NOW,
    SHOP,
    change,
    changes,
    fact,
    found,
    proposed,
)

LISBON = fact("The user lives in Lisbon", key="home", value="Lisbon")
PORTO = "The user lives in Porto"
HONDA = fact("The user drives a Honda")
TESLA = "The user drives a Tesla"


def home(text: str, *replaced: Fact, answer: str | None = None) -> Candidate:
    return proposed(text, *replaced, answer=answer, key="home", value=text.split()[-1])


def test_the_same_text_is_a_repetition() -> None:
    made = change(proposed("the user  drives a HONDA"), LISBON, HONDA)
    assert (made.act, made.facts) == (ChangeType.REPEAT, (HONDA,))


def test_the_same_value_of_a_key_is_a_repetition() -> None:
    """In other words, by a model or by a pattern."""
    for said in (
        home("Home of the user: Lisbon"),
        found("Home: Lisbon", key="home", value="lisbon"),
    ):
        assert change(said, LISBON).act is ChangeType.REPEAT


@pytest.mark.parametrize("how", ["pinned", "confirmed"])
def test_what_a_person_vouched_for_is_not_retired(how: str) -> None:
    known = replace(HONDA, pinned=True) if how == "pinned" else HONDA
    protected = {HONDA.id} if how == "confirmed" else set[str]()
    said = proposed(TESLA, known, answer="over")
    over = proposed(HONDA.text, known, answer="over", ends=True)
    assert change(said, known, protected=protected).act is ChangeType.CONFLICT
    assert change(over, known, protected=protected).act is ChangeType.HOLD


@pytest.mark.parametrize(
    ("details", "ending"),
    [
        ({"changes": True}, Ending.SUPERSEDED),
        ({"instead_of": ("Lisbon",)}, Ending.SUPERSEDED),
        ({"corrects": True}, Ending.WRONG),
    ],
)
def test_a_pattern_that_tells_a_change_retires(details: dict[str, object], ending: Ending) -> None:
    made = change(found(PORTO, key="home", value="Porto", slot="Porto", **details), LISBON)
    assert (made.act, made.facts, made.ending) == (ChangeType.SUPERSEDE, (LISBON,), ending)


def test_a_pattern_replaces_the_value_of_the_same_sentence() -> None:
    """Only if the rest of the sentence is the same."""
    npm, other = fact("The team uses npm for the shop"), fact("The team likes npm")
    switched = found("The team uses pnpm", slot="pnpm", instead_of=("npm",))
    made = change(switched, other, npm)
    assert (made.act, made.facts) == (ChangeType.SUPERSEDE, (npm,))
    assert change(switched, other).act is ChangeType.ADD


def test_a_pattern_without_a_word_of_change_is_in_conflict() -> None:
    made = change(found(PORTO, key="home", value="Porto"), LISBON)
    assert (made.act, made.facts, made.candidate.key) == (ChangeType.CONFLICT, (LISBON,), None)


def test_a_pattern_ends_the_one_fact_that_it_names() -> None:
    over = found("The user lives in Lisbon", key="home", value="Lisbon", ends=True)
    assert change(over, LISBON, HONDA).act is ChangeType.END
    assert change(over, HONDA).act is ChangeType.REFUSE


def test_anything_else_is_new() -> None:
    assert change(proposed(TESLA), LISBON).act is ChangeType.ADD
    assert change(found("The user likes tea"), LISBON, HONDA).act is ChangeType.ADD


def test_the_value_of_a_key_is_asked_about_even_if_no_id_names_it() -> None:
    over = {LISBON.id: FactStatus.ENDED}
    assert change(replace(home(PORTO), statuses=over), LISBON).act is ChangeType.SUPERSEDE
    beside = change(replace(home(PORTO), statuses={LISBON.id: FactStatus.CURRENT}), LISBON)
    assert (beside.act, beside.candidate.key) == (ChangeType.ADD, None)


def test_several_facts_end_at_once_and_only_those_that_are_over() -> None:
    loan = fact("The user leases the Honda")
    said = proposed(TESLA, HONDA, loan, LISBON, answer="over")
    said = replace(said, statuses={**said.statuses, LISBON.id: FactStatus.CURRENT})
    assert change(said, HONDA, loan, LISBON).facts == (HONDA, loan)


def test_only_the_scopes_of_the_turn_are_changed() -> None:
    """The user's own and that of the turn. A shared fact, or one of another project, is kept."""
    for scope in (ANA, SHOP):
        known = replace(HONDA, scope=scope)
        assert change(proposed(TESLA, known, answer="over"), known).act is ChangeType.SUPERSEDE
    for scope in (Scope(), Scope(project="shop"), Scope(user="ana", project="blog")):
        known = replace(HONDA, scope=scope)
        assert change(proposed(TESLA, known, answer="over"), known).act is ChangeType.CONFLICT
        assert change(proposed("", known, answer="over", ends=True), known).act is ChangeType.HOLD


@pytest.mark.parametrize(
    "details", [{"unnamed_change": True}, {"origin": Origin.AGENT}], ids=["unnamed", "agent"]
)
def test_only_what_the_user_names_retires(details: dict[str, object]) -> None:
    assert (
        change(proposed(TESLA, HONDA, answer="over", **details), HONDA).act is ChangeType.CONFLICT
    )


def test_an_older_turn_retires_nothing_that_was_said_later() -> None:
    made = change(proposed(TESLA, HONDA, answer="over"), HONDA, said_later={HONDA.id})
    assert made.act is ChangeType.REFUSE


def test_each_candidate_sees_what_those_before_it_did() -> None:
    first, second = proposed(TESLA, HONDA, answer="over"), proposed("x", HONDA, answer="over")
    acts = [each.act for each in changes([first, first, second], HONDA)]
    assert acts == [ChangeType.SUPERSEDE, ChangeType.REFUSE, ChangeType.ADD]


def test_what_is_over_already_is_not_compared() -> None:
    gone = replace(HONDA, retired_at=NOW)
    assert change(proposed(TESLA, gone, answer="over"), gone).act is ChangeType.ADD


@pytest.mark.parametrize(
    ("details", "scope"),
    [
        ({"about": About.USER}, ANA),
        ({"about": About.PROJECT, "kind": Kind.PREFERENCE}, SHOP),
        ({"kind": Kind.PROFILE}, ANA),
        ({"kind": Kind.INSTRUCTION}, ANA),
        ({"kind": Kind.PROJECT, "text": "The user builds a shop"}, SHOP),
        ({"kind": Kind.FACT, "found_by": "patterns/german/x"}, ANA),
        ({"kind": Kind.FACT}, SHOP),
        ({"key": "home", "text": "Home: Porto"}, ANA),
    ],
)
def test_the_subject_decides_where_a_new_fact_is_stored(
    details: dict[str, object], scope: Scope
) -> None:
    assert storing_scope(proposed(**{"text": "x", **details}), SHOP) == scope  # type: ignore[arg-type]


def test_without_a_user_the_scope_is_that_of_the_turn() -> None:
    team = Scope(project="shop")
    assert storing_scope(proposed("x", about=About.USER), team) == team
