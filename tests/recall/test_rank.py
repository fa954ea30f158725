"""Evidence, bounded factors, and repeats."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from erstwhile.core.kinds import Kind
from erstwhile.core.scope import SHARED
from erstwhile.facts.draft import draft
from erstwhile.facts.fact import Fact
from erstwhile.facts.feedback import NO_SIGNALS, Signals
from erstwhile.recall import rank
from erstwhile.recall.rank import MAX_SHIFT, Scores
from erstwhile.recall.relevance import STRONG, MemorySize, calibration
from erstwhile.search.terms import terms

NOW = datetime(2026, 3, 1, tzinfo=UTC)
FACT = draft("x", now=NOW).to_fact(SHARED, NOW)
PERIOD = (NOW - timedelta(days=60), NOW - timedelta(days=30))

SMALL, LARGE = MemorySize(0.0), MemorySize(1.0)
scores = st.builds(Scores, st.floats(0, 2), st.none() | st.floats(-9, 9), weight=st.floats(0.1, 1))
several = st.lists(scores, min_size=1, max_size=20)
known = st.builds(Signals, st.floats(0, 1e6), st.floats(-1, 1))
base, ratio = st.floats(0.001, 1), st.floats(1.36, 1_000, exclude_min=True)


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


def shift(fact: Fact, in_period: bool, signals: Signals = NO_SIGNALS) -> float:
    period = PERIOD if in_period else None
    return sum(rank.factors(fact, NOW, period=period, signals=signals).values())


@given(facts(), facts(), st.booleans(), known, base, ratio)
def test_factors_are_bounded_and_never_lift_a_clearly_worse_match(
    better: Fact,
    worse: Fact,
    in_period: bool,
    signals: Signals,
    base: float,
    ratio: float,
) -> None:
    """A pinned profile fact with praise loses to a match that is a quarter better."""
    lifted = shift(worse, in_period, signals)
    assert abs(lifted) <= MAX_SHIFT + 1e-9
    final = ratio * base * (1 + shift(better, in_period))
    assert final > base * (1 + lifted)


@pytest.mark.parametrize(
    ("change", "sign"),
    [
        ({"kind": Kind.PROFILE}, 1),
        ({"pinned": True}, 1),
        ({"evidence": 5}, 1),
        ({"confidence": 0.5}, -1),
        ({"recorded_at": NOW - timedelta(days=3_000)}, -1),
    ],
    ids=str,
)
def test_factors_decide_between_equals(change: dict[str, Any], sign: int) -> None:
    assert sign * shift(replace(FACT, **change), False) > sign * shift(FACT, False)


def test_a_fact_of_the_period_precedes_a_somewhat_better_match_outside() -> None:
    inside, outside = (
        replace(FACT, valid_from=when, recorded_at=NOW) for when in (PERIOD[0], PERIOD[1])
    )
    assert 0.9 * (1 + shift(inside, in_period=True)) > 1 + shift(outside, in_period=True)


def test_feedback_decides_between_equals() -> None:
    plain = shift(FACT, False)
    assert shift(FACT, False, Signals(feedback=0.5)) > plain
    assert shift(FACT, False, Signals(feedback=-0.5)) < plain


def test_a_text_about_somebody_else_weighs_less() -> None:
    """Best is a text that begins with the name, then one that mentions it."""
    about, mentions, other = (
        rank.subject_weight(" ".join(terms(text)), frozenset(["melani"]))
        for text in ("Melanie: I signed up", "Caroline thanked Melanie", "Caroline: me, too")
    )
    assert 1.0 == about > mentions > other > 0


def test_the_more_of_a_text_only_asks_the_less_it_weighs() -> None:
    assert 1.0 == rank.telling_weight(0) > rank.telling_weight(50) > rank.telling_weight(100) > 0


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


def evidence(candidates: list[Scores], memory: MemorySize = LARGE) -> list[float]:
    return rank.evidence(candidates, calibration("any/model").at(memory))


@given(candidates=several, words=st.floats(0, 1), meaning=st.floats(-9, 9))
def test_who_is_better_in_both_channels_is_never_behind(
    candidates: list[Scores], words: float, meaning: float
) -> None:
    everyone = [*candidates, Scores(words, meaning)]
    found = evidence(everyone)
    assert min(found) >= 0
    for one, each in zip(everyone, found, strict=True):
        if one.meaning is not None and one.words <= words and one.meaning <= meaning:
            assert each <= found[-1] + 1e-9


@given(candidates=several, more=st.floats(0, 1), less=st.floats(0, 1))
def test_without_vectors_more_words_are_never_behind(
    candidates: list[Scores], more: float, less: float
) -> None:
    """Of two candidates without a vector, the one with the better words is in front."""
    *_, first, second = evidence([*candidates, Scores(more, None), Scores(less, None)])
    assert (first >= second - 1e-9) if more >= less else (second >= first - 1e-9)


@pytest.mark.parametrize(
    ("best_first", "memory"),
    [
        pytest.param([Scores(0.9, 0.5), Scores(0.1, 4.0)], LARGE, id="words match strongly"),
        pytest.param([Scores(0.0, 3.0), Scores(0.2, 0.5)], LARGE, id="a word by accident"),
        pytest.param([Scores(0.0, 3.0), Scores(0.4, 1.5)], SMALL, id="one word in a small memory"),
        pytest.param(
            [Scores(0.9, 5.0, 0.6), Scores(0.45, 3.0), Scores(0.5, 3.0, 0.6)],
            LARGE,
            id="a speaker of less weight needs a better match",
        ),
    ],
)
def test_words_decide_where_they_match_strongly_else_meaning(
    best_first: list[Scores], memory: MemorySize
) -> None:
    found = evidence(best_first, memory)
    assert found == sorted(found, reverse=True)
    assert len(set(found)) == len(found)


def test_a_missing_vector_does_not_count_as_a_low_one() -> None:
    """The best words win, whether or not their text has its vector yet."""
    others = [Scores(0.3, 3.0), Scores(0.2, 2.0), Scores(0.0, 1.0)]
    found = evidence([Scores(0.9, None), *others])
    assert max(found) == found[0] > evidence([Scores(0.9, 1.0), *others])[0]


def test_a_long_record_needs_a_better_passage() -> None:
    weights = [rank.length_weight(count) for count in (1, 2, 10, 60)]
    assert weights == sorted(weights, reverse=True)
    assert weights[0] == 1.0
    assert weights[-1] > 0.5


def test_relevance_grows_with_evidence_and_falls_with_unknown_names() -> None:
    known = calibration("any/model")
    assert 0 < known.at(LARGE).relevance(0) < STRONG < known.at(LARGE).relevance(9) < 1
    assert known.at(SMALL).relevance(3) > known.at(LARGE).relevance(3)
    assert known.at(LARGE).relevance(3) > known.at(LARGE._replace(unknown=1.0)).relevance(3)


def test_words_alone_are_less_relevant_in_a_large_memory_than_words_and_meaning() -> None:
    """Questions that a memory cannot answer share words with it, but seldom a meaning."""
    known = calibration("any/model")
    far, near = (LARGE._replace(accident=1.0, nearest=meaning) for meaning in (1.0, 4.0))
    assert known.at(far).relevance(5) < STRONG < known.at(near).relevance(5)


def test_the_best_of_more_texts_is_more_likely_an_accident() -> None:
    known = calibration("any/model")
    sizes = [MemorySize.of(each, 0.0, has_subject=False) for each in (600, 1_200, 2_500, 10_000)]
    relevances = [known.at(size).relevance(4) for size in sizes]
    assert relevances == sorted(relevances, reverse=True)
    assert relevances[-1] == relevances[-2]


def test_a_neighbour_counts_less_the_farther_it_is() -> None:
    alone, beside, farther = (
        rank.smoothed(0.2, around) for around in ([], [(1, 0.5)], [(-2, 0.5)])
    )
    assert alone == 0.2
    assert 0.5 > beside > farther > alone


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30), st.integers(1, 10), st.data())
def test_contenders_are_all_that_can_come_first(
    bases: list[float], limit: int, data: st.DataObject
) -> None:
    """For any shifts that factors can make."""
    shifts = data.draw(
        st.lists(st.floats(-MAX_SHIFT, MAX_SHIFT), min_size=len(bases), max_size=len(bases))
    )
    final = [base * (1 + each) for base, each in zip(bases, shifts, strict=True)]
    first = sorted(range(len(bases)), key=lambda at: -final[at])[:limit]
    lowest = min(final[at] for at in rank.contenders(bases, limit))
    assert set(first) <= set(rank.contenders(bases, limit)) or final[first[-1]] <= lowest + 1e-9


def test_a_repeat_goes_to_the_end() -> None:
    same, other = frozenset("abcdefghij"), frozenset("klm")
    terms = [same, same, other]
    assert rank.repeats_last([0, 1, 2], terms.__getitem__, 3) == [0, 2, 1]
    assert rank.repeats_last([0, 1, 2], terms.__getitem__, 2) == [0, 2]
    assert rank.repeats_last([0, 1], terms.__getitem__, 2) == [0, 1]


def test_another_number_is_no_repeat() -> None:
    words = {f"word {letter}" for letter in "abcdefghijklmnopqrstuvwxyz"}
    terms = [frozenset(words | {"8080"}), frozenset(words | {"8081"}), frozenset({"x"})]
    assert rank.repeats_last([0, 1, 2], terms.__getitem__, 2) == [0, 1]
