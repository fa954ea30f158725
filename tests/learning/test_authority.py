"""Which candidate may change which fact, and when."""

from __future__ import annotations

from datetime import timedelta

import pytest

from erstwhile.learning.candidate import Act
from erstwhile.types import Origin, Trust
from tests.learning.facts_and_candidates import NOW, SOON, THEN, change, fact, say


@pytest.mark.parametrize("origin", [Origin.TOOL, Origin.WEB, Origin.DOCUMENT])
def test_what_comes_from_outside_touches_nothing_trusted(origin: Origin) -> None:
    held = fact("The user lives in Lisbon.", key="home")
    for text in ("The user lives in Lisbon.", "The user lives in Porto."):
        made = change(say(text, key="home", origin=origin, replaces=(held.id,)), held)
        assert (made.act, made.facts) == (Act.ADD, ())
    assert (
        change(say("The user lives in Lisbon.", origin=origin, ends=True), held).act is Act.REFUSE
    )


def test_what_comes_from_outside_repeats_its_like() -> None:
    held = fact("The user lives in Lisbon.", origin=Origin.WEB)
    assert held.trust is Trust.QUARANTINED
    assert change(say("The user lives in Lisbon.", origin=Origin.TOOL), held).act is Act.REPEAT
    assert change("The user lives in Lisbon.", held).act is Act.ADD


def test_the_assistant_is_no_evidence() -> None:
    """Not even for facts from outside, which the assistant may only have read aloud."""
    for origin in (Origin.PERSON, Origin.LEARNED, Origin.AGENT, Origin.WEB):
        said = say("The user likes tea.", origin=Origin.AGENT)
        made = change(said, fact("The user likes tea.", origin=origin))
        assert (made.act, made.because) == (Act.REFUSE, "no new evidence")


@pytest.mark.parametrize(
    ("origin", "act"),
    [(Origin.PERSON, Act.CONFLICT), (Origin.LEARNED, Act.CONFLICT), (Origin.AGENT, Act.SUPERSEDE)],
)
def test_the_assistant_retires_only_what_it_said_itself(origin: Origin, act: Act) -> None:
    held = fact("The user lives in Lisbon.", origin=origin, tier="inferred")
    assert change(say("The user lives in Porto.", origin=Origin.AGENT), held).act is act


def test_what_the_assistant_said_stays_once_it_is_confirmed() -> None:
    held = fact("The user lives in Lisbon.", origin=Origin.AGENT, tier="confirmed")
    assert change(say("The user lives in Porto.", origin=Origin.AGENT), held).act is Act.CONFLICT
    assert (
        change(say("The user lives in Lisbon.", origin=Origin.AGENT, ends=True), held).act
        is Act.REFUSE
    )


def test_a_pinned_fact_is_repeated_and_never_retired() -> None:
    held = fact("The user lives in Lisbon.", pinned=True)
    assert change("The user lives in Lisbon.", held).act is Act.REPEAT
    assert change("The user lives in Porto.", held).act is Act.CONFLICT
    assert change(say("The user lives in Lisbon.", ends=True), held).act is Act.REFUSE
    assert change(say("The user lives in Porto.", replaces=(held.id,)), held).act is Act.CONFLICT


# Times.


def test_what_is_older_than_the_fact_does_not_supersede_it() -> None:
    held = fact("The user lives in Lisbon.")
    before = THEN - timedelta(days=400)
    assert change(say("The user lives in Porto.", valid_from=before), held).act is Act.CONFLICT
    assert change(say("The user lives in Porto now.", valid_from=before), held).act is Act.SUPERSEDE


def test_what_began_lately_is_news() -> None:
    """Unless the beginning of the fact was stated: then one of the two is wrong."""
    lately = NOW - timedelta(days=7)
    said = say("The user lives in Porto.", valid_from=lately)
    stated = lately + timedelta(days=2)
    assert change(said, fact("The user lives in Lisbon.", at=NOW)).act is Act.SUPERSEDE
    known = fact("The user lives in Lisbon.", at=NOW, valid_from=stated)
    assert change(said, known).act is Act.CONFLICT


def test_what_is_not_true_yet_retires_nothing() -> None:
    held = fact("The user lives in Lisbon.", key="home")
    made = change(say("The user lives in Porto.", valid_from=SOON, key="home"), held)
    assert (made.act, made.candidate.key) == (Act.ADD, None)


def test_what_is_over_already_retires_nothing() -> None:
    said = say("The user lives in Porto.", valid_from=THEN - timedelta(days=9), expires_at=THEN)
    assert change(said, fact("The user lives in Lisbon.")).act is Act.ADD


def test_what_has_expired_or_not_begun_is_left_alone() -> None:
    over = fact("The user is away.", kind="state", expires_at=THEN + timedelta(days=1))
    ahead = fact("The user lives in Lisbon.", valid_from=SOON)
    assert change("The user is away.", over).act is Act.ADD
    assert change("The user lives in Porto.", ahead).act is Act.ADD


def test_a_text_too_long_to_be_one_statement_is_compared_verbatim() -> None:
    long = "The user lives in Lisbon and " * 100
    assert change(long, fact(long)).act is Act.REPEAT
    assert change(long + "works.", fact(long)).act is Act.ADD
