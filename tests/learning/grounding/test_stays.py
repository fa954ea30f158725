"""A temporary place is a state with an end, and no home."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from erstwhile.core.kinds import Kind
from erstwhile.learning.candidate import Candidate
from erstwhile.learning.grounding.stays import as_stay, end_of_stay
from erstwhile.learning.moods import clauses_around
from tests.learning.guard.turns import judged, turn

MONDAY = datetime(2026, 11, 16, 9, tzinfo=UTC)
HOME = Candidate(text="The user lives in Paris", kind=Kind.PROFILE, key="home", value="Paris")


@pytest.mark.parametrize(
    ("words", "day"),
    [
        ("I'm in Paris until Friday", "2026-11-21"),
        ("Ich bin bis Freitag in Paris", "2026-11-21"),
        ("Estoy en París hasta el viernes", "2026-11-21"),
        ("Je suis à Paris jusqu'à vendredi", "2026-11-21"),
        ("金曜日までパリにいます", "2026-11-21"),
        ("我周五之前在巴黎出差", "2026-11-21"),
        ("금요일까지 파리에 있어요", "2026-11-21"),
        ("I'm in Paris for two weeks", "2026-12-01"),
        ("Je suis à Paris pour trois jours", "2026-11-20"),
        ("三日間パリに滞在します", "2026-11-20"),
        ("Diese Woche bin ich in Paris", "2026-11-23"),
        ("This week I'm in Paris", "2026-11-23"),
        ("I'm in Paris until December 3", "2026-12-04"),
    ],
)
def test_the_end_of_a_stay_is_read(words: str, day: str) -> None:
    over = end_of_stay(words, MONDAY)
    assert over is not None
    assert over.date().isoformat() == day


@pytest.mark.parametrize("words", ["I live in Paris", "I'm visiting my aunt in Paris"])
def test_not_every_sentence_names_an_end(words: str) -> None:
    assert end_of_stay(words, MONDAY) is None


def test_a_stay_is_no_home() -> None:
    stay = as_stay(HOME, "I'm in Paris until Friday", MONDAY)
    assert (stay.kind, stay.key, stay.value) == (Kind.STATE, None, None)
    assert stay.text == 'The user said: "I\'m in Paris until Friday"'
    assert stay.expires_at == datetime(2026, 11, 21, tzinfo=UTC)
    assert as_stay(HOME, "I live in Paris", MONDAY) == HOME


def test_a_stay_in_another_clause_leaves_the_home() -> None:
    text = "I live in Porto, but I'm in Paris, until Friday."
    assert clauses_around(text, 0, 15) == "I live in Porto,"
    start = text.index("I'm in")
    assert clauses_around(text, start, start + 12) == "but I'm in Paris, until Friday."


def test_a_model_s_home_for_a_while_is_kept_as_a_state() -> None:
    said = turn("I'm in Paris until Friday, so call me later.")
    stay, verdicts = judged(
        "The user lives in Paris", said, quote="I'm in Paris", kind=Kind.PROFILE, key="home",
        replaces=("f1",),
    )  # fmt: skip
    assert (stay.kind, stay.key, stay.replaces) == (Kind.STATE, None, ())
    assert stay.expires_at == datetime(2026, 11, 21, tzinfo=UTC)
    assert stay.text == 'The user said: "I\'m in Paris until Friday"'
    assert [verdict.action for verdict in verdicts if verdict.action != "redact"] == []
