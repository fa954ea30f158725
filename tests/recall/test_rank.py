"""Fusion, bounded factors, and repeats."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from erstwhile.core.kinds import Kind
from erstwhile.core.scope import SHARED
from erstwhile.facts.draft import draft
from erstwhile.facts.fact import Fact
from erstwhile.facts.usage_signals import NO_SIGNALS, Signals
from erstwhile.recall import rank
from erstwhile.recall.hits import Fusion
from erstwhile.recall.rank import FUSIONS, LARGEST_SHIFT, Scores

NOW = datetime(2026, 3, 1, tzinfo=UTC)
FACT = draft("x", now=NOW).to_fact(SHARED, NOW)
PERIOD = (NOW - timedelta(days=60), NOW - timedelta(days=30))

scores = st.builds(Scores, st.floats(0, 30), st.none() | st.floats(-1, 1))
several = st.lists(scores, min_size=1, max_size=20)
known = st.builds(Signals, st.floats(0, 1e6), st.floats(-1, 1))


@st.composite
def facts(draw: st.DrawFn) -> Fact:
    age = timedelta(hours=draw(st.integers(0, 200_000)))
    return replace(
        FACT,
        kind=draw(st.sampled_from(Kind)),
        recorded_at=NOW - age,
        valid_from=NOW - age,
        confidence=draw(st.floats(0, 1)),
        evidence=draw(st.integers(1, 10_000)),
        pinned=draw(st.booleans()),
    )


def shift(fact: Fact, named: bool, in_period: bool, signals: Signals = NO_SIGNALS) -> float:
    period = PERIOD if in_period else None
    return sum(rank.factors(fact, NOW, named=named, period=period, signals=signals).values())


@given(facts(), st.booleans(), st.booleans(), known)
def test_all_factors_together_are_bounded(
    fact: Fact, named: bool, in_period: bool, signals: Signals
) -> None:
    assert abs(shift(fact, named, in_period, signals)) <= LARGEST_SHIFT + 1e-9


@given(
    better=st.tuples(facts(), st.floats(0.001, 1)),
    worse=st.tuples(facts(), st.floats(0.001, 1)),
    named=st.booleans(),
    in_period=st.booleans(),
    signals=known,
)
def test_a_factor_never_lifts_a_clearly_worse_match(
    better: tuple[Fact, float],
    worse: tuple[Fact, float],
    named: bool,
    in_period: bool,
    signals: Signals,
) -> None:
    """A pinned profile fact with praise loses to a match that is a quarter better."""
    fact, base = better
    other, other_base = worse
    if base > 1.25 * other_base:
        final = base * (1 + shift(fact, False, in_period))
        assert final > other_base * (1 + shift(other, named, in_period, signals))


def test_factors_decide_between_equals() -> None:
    plain = shift(FACT, False, False)
    assert shift(replace(FACT, kind=Kind.PROFILE), False, False) > plain
    assert shift(replace(FACT, pinned=True), False, False) > plain
    assert shift(replace(FACT, confidence=0.5), False, False) < plain
    assert shift(replace(FACT, evidence=5), False, False) > plain
    assert shift(replace(FACT, recorded_at=NOW - timedelta(days=3_000)), False, False) < plain
    assert shift(FACT, True, False) > plain


def test_a_neutral_fact_is_not_shifted_by_use() -> None:
    """One piece of evidence gives no boost, and no use costs nothing."""
    factors = rank.factors(FACT, NOW)
    assert {factors[name] for name in ("evidence", "kind", "period", "use", "feedback")} == {0.0}


def test_use_counts_ever_less_and_up_to_what_is_said() -> None:
    """More than a hundred queries do not count."""
    shifts = [
        rank.factors(FACT, NOW, signals=Signals(use=use))["use"] for use in (1, 6, 10, 100, 1_000)
    ]
    assert shifts[0] < shifts[1] < shifts[2] < shifts[3] == shifts[4]
    assert shifts[3] - shifts[2] < 9 * (shifts[2] - shifts[1])


def test_feedback_shifts_both_ways() -> None:
    plain = shift(FACT, False, False)
    assert shift(FACT, False, False, Signals(feedback=0.5)) > plain
    assert shift(FACT, False, False, Signals(feedback=-0.5)) < plain


@pytest.mark.parametrize("fusion", Fusion)
@given(candidates=several)
def test_a_score_lies_between_0_and_1(fusion: Fusion, candidates: list[Scores]) -> None:
    bases = FUSIONS[fusion](candidates)
    assert len(bases) == len(candidates)
    assert all(-1e-9 <= base <= 1 + 1e-9 for base in bases)


@pytest.mark.parametrize("fusion", Fusion)
@given(candidates=several, text=st.floats(0, 30), cosine=st.floats(-1, 1))
def test_who_is_better_in_both_channels_is_never_behind(
    fusion: Fusion, candidates: list[Scores], text: float, cosine: float
) -> None:
    """No fusion reverses an order on which both channels agree."""
    everyone = [*candidates, Scores(text, cosine)]
    bases = FUSIONS[fusion](everyone)
    for one, base in zip(everyone, bases, strict=True):
        if one.cosine is not None and one.text <= text and one.cosine <= cosine:
            assert base <= bases[-1] + 1e-9


@pytest.mark.parametrize("count", [1, 3])
def test_a_match_by_meaning_alone_says_how_good_it_is(count: int) -> None:
    """The score of a single candidate is its cosine, not 0."""
    assert rank.convex([Scores(0.0, 0.4)] * count) == [0.4] * count
    assert rank.convex([Scores(0.0, 0.4), Scores(0.0, 0.4 + 1e-8)]) == pytest.approx([0.4, 0.4])
    assert rank.convex([Scores(2.0, 0.5)]) == pytest.approx([0.6 + 0.4 * 0.5])
    assert rank.convex([Scores(0.0, -0.4)]) == [0.0]


def test_equal_scores_share_a_place() -> None:
    assert rank.ranks([0.5, 0.9, None, 0.5, 0.1]) == [2, 1, None, 2, 4]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30), st.integers(1, 10), st.data())
def test_contenders_are_all_that_can_come_first(
    bases: list[float], limit: int, data: st.DataObject
) -> None:
    """For any shifts that factors can make."""
    shifts = data.draw(
        st.lists(st.floats(-LARGEST_SHIFT, LARGEST_SHIFT), min_size=len(bases), max_size=len(bases))
    )
    final = [base * (1 + each) for base, each in zip(bases, shifts, strict=True)]
    first = sorted(range(len(bases)), key=lambda at: -final[at])[:limit]
    lowest = min(final[at] for at in rank.contenders(bases, limit))
    assert set(first) <= set(rank.contenders(bases, limit)) or final[first[-1]] <= lowest + 1e-9


def test_a_repeat_goes_to_the_end() -> None:
    same, other = frozenset("abcdefghij"), frozenset("klm")
    terms = [same, same, other]
    assert rank.repeats_last([0, 1, 2], terms, 3) == [0, 2, 1]
    assert rank.repeats_last([0, 1, 2], terms, 2) == [0, 2]
    assert rank.repeats_last([0, 1], terms, 2) == [0, 1]


def test_another_number_is_no_repeat() -> None:
    words = {f"word {letter}" for letter in "abcdefghijklmnopqrstuvwxyz"}
    terms = [frozenset(words | {"8080"}), frozenset(words | {"8081"}), frozenset({"x"})]
    assert rank.repeats_last([0, 1, 2], terms, 2) == [0, 1]
