"""Reconciliation: the table of its module, row by row, and the scopes and times around it."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import pytest

import erstwhile
from erstwhile import Fact, Scope
from erstwhile.learning.candidate import About, Candidate, ChangeType, FactStatus
from erstwhile.learning.reconcile import storing_scope
from erstwhile.testing.clock import FakeClock
from erstwhile.types import Ending, Kind, Origin
from tests.learning import extraction_answers as answers
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
from tests.learning.verification_answers import FakeLlm, verifying

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


@pytest.mark.parametrize(
    ("answer", "ending"), [("over", Ending.SUPERSEDED), ("never so", Ending.WRONG)]
)
@pytest.mark.parametrize("ends", [False, True])
def test_verification_retires_a_fact(answer: str, ending: Ending, ends: bool) -> None:
    text = HONDA.text if ends else TESLA
    made = change(proposed(text, HONDA, answer=answer, ends=ends), HONDA, LISBON)
    assert (made.act, made.facts) == (ChangeType.END if ends else ChangeType.SUPERSEDE, (HONDA,))
    assert made.ending is ending


def test_a_fact_that_goes_on_stays() -> None:
    """The statement is stored beside it, and an ending is refused."""
    assert change(proposed(TESLA, HONDA, answer="goes on"), HONDA).act is ChangeType.ADD
    assert (
        change(proposed(HONDA.text, HONDA, answer="goes on", ends=True), HONDA).act
        is ChangeType.REFUSE
    )


@pytest.mark.parametrize("how", ["pinned", "confirmed"])
def test_what_a_person_vouched_for_is_not_retired(how: str) -> None:
    known = replace(HONDA, pinned=True) if how == "pinned" else HONDA
    protected = {HONDA.id} if how == "confirmed" else set[str]()
    said = proposed(TESLA, known, answer="over")
    over = proposed(HONDA.text, known, answer="over", ends=True)
    assert change(said, known, protected=protected).act is ChangeType.CONFLICT
    assert change(over, known, protected=protected).act is ChangeType.HOLD


def test_without_an_answer_nothing_is_retired() -> None:
    assert change(proposed(TESLA, HONDA), HONDA).act is ChangeType.CONFLICT
    held = change(proposed(HONDA.text, HONDA, ends=True), HONDA)
    assert (held.act, held.because) == (ChangeType.HOLD, "not verified")


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


NODE_18 = "The project uses Node 18"
NODE_22 = answers.fact("The project uses Node 22", "environment", quote="We're on Node 22")


@pytest.mark.parametrize(
    ("answer", "in_june"), [("over", [NODE_18]), ("never so", [])], ids=["change", "correction"]
)
def test_only_a_superseded_value_was_true_before(answer: str, in_june: list[str]) -> None:
    llm = FakeLlm(answers.superseding(NODE_18, NODE_22))
    llm.verifies = verifying(fact=answer)
    clock = FakeClock(datetime.fromisoformat("2026-03-01T12:00+00:00"))
    with erstwhile.open(":memory:", embedder="none", llm=llm, clock=clock) as memory:
        memory.remember(NODE_18, valid_from="2025-01-01", origin="learned")
        memory.observe_turn("We're on Node 22.", "Good.", wait=True)
        assert [each.text for each in memory.facts.list()] == [NODE_22["text"]]
        old = memory.facts.list(as_of="2025-06-01")
        assert [each.text for each in old] == in_june


UNRELATED = [
    ("The user is allergic to nuts", "I bought a new lamp", "The user bought a new lamp"),
    ("The user lives in Lisbon", "My sister moved to Porto", "The user's sister lives in Porto"),
    ("The user has a cat called Miso", "We got a dog, Rex", "The user has a dog called Rex"),
]


@pytest.mark.parametrize("verify", [True, False], ids=["verified", "unverified"])
@pytest.mark.parametrize(("known", "said", "text"), UNRELATED)
def test_a_wrong_id_ends_nothing(known: str, said: str, text: str, verify: bool) -> None:
    """Neither with an honest verification, nor without any."""
    new = answers.fact(text, quote=said)
    llm = FakeLlm(answers.superseding(known, new), answers.ending(known, quote=said))
    llm.verifies = verifying(fact="goes on")
    settings = erstwhile.Settings(embedder="none", learning=f"verify {verify}")
    with erstwhile.open(":memory:", llm=llm, settings=settings) as memory:
        memory.remember(known, origin="learned")
        for _ in range(2):
            memory.observe_turn(f"{said}.", "Nice.", wait=True)
        assert {each.text for each in memory.facts.list()} == {known, text}
        assert not memory.facts.list(state="retired")
