"""Properties of reconciliation for any facts and any candidates."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from erstwhile import Fact, Scope, draft
from erstwhile.learning.candidate import Act, Candidate, FactStatus
from erstwhile.learning.reconcile import RETIRING, KnownFacts, reconcile
from erstwhile.types import Origin, Trust

NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)
SCOPES = (Scope(user="ana"), Scope(user="ben"), Scope(), Scope(user="ana", project="x"))
SENTENCES = [
    "The user lives in Lisbon", "The user lives in Porto", "The user likes tea", "用户住在上海",
    "The API returns JSON", "the user LIKES tea",
]  # fmt: skip
texts = st.sampled_from(SENTENCES)
moments = st.integers(-400, 3).map(lambda days: NOW + timedelta(days=days))
keys = st.sampled_from([None, None, "home", "diet"])


@st.composite
def facts(draw: st.DrawFn) -> Fact:
    at = draw(st.integers(1, 300)) * timedelta(days=-1) + NOW
    origin = draw(st.sampled_from(Origin))
    said = draft(draw(texts), key=draw(keys), origin=origin, pinned=draw(st.booleans()), now=at)
    return said.to_fact(draw(st.sampled_from(SCOPES)), at)


@st.composite
def candidates(draw: st.DrawFn, known: list[Fact]) -> Candidate:
    ids = [fact.id for fact in known] or ["0"]
    text = draw(texts)
    return Candidate(
        text=text,
        found_by=draw(st.sampled_from(["llm:tiny", "en/lives"])),
        key=draw(keys),
        value=draw(st.none() | st.sampled_from(["Lisbon", "Porto"])),
        slot=text.split()[-1],
        replaces=tuple(draw(st.lists(st.sampled_from(ids), max_size=2, unique=True))),
        instead_of=tuple(draw(st.lists(st.sampled_from(["Lisbon", "tea", "上海"]), max_size=1))),
        changes=draw(st.booleans()),
        ends=draw(st.booleans()),
        valid_from=draw(st.none() | moments),
        origin=draw(st.sampled_from(Origin)),
        unnamed_change=draw(st.booleans()),
        statuses=draw(st.dictionaries(st.sampled_from(ids), st.sampled_from(FactStatus))),
    )


@st.composite
def turns(draw: st.DrawFn) -> tuple[list[Candidate], KnownFacts]:
    known = draw(st.lists(facts(), max_size=5))
    protected = {fact.id for fact in known if draw(st.booleans())}
    said = draw(st.lists(candidates(known), max_size=4))
    return said, KnownFacts(facts=known, scope=SCOPES[3], now=NOW, protected=protected)


@given(turns())
def test_each_candidate_has_one_change_and_the_same_every_time(
    turn: tuple[list[Candidate], KnownFacts],
) -> None:
    made = reconcile(*turn)
    assert [each.candidate.text for each in made] == [each.text for each in turn[0]]
    assert all(each.because for each in made)
    assert made == reconcile(*turn)


@given(turns())
def test_what_is_retired_may_be(turn: tuple[list[Candidate], KnownFacts]) -> None:
    """It is the user's, nobody pinned or confirmed it, and verification or a pattern says so."""
    for made in reconcile(*turn):
        if made.act not in RETIRING:
            continue
        assert made.facts
        assert made.candidate.origin is not Origin.AGENT
        assert not made.candidate.unnamed_change
        for fact in made.facts:
            assert fact.scope in (SCOPES[0], SCOPES[3])
            assert fact.trust is made.candidate.origin.trust is Trust.TRUSTED
            assert not fact.pinned
            assert fact.id not in turn[1].protected
            if made.candidate.by_model:
                assert made.candidate.statuses[fact.id] is not FactStatus.CURRENT


@given(turns())
def test_a_fact_is_retired_once_and_not_repeated_after(
    turn: tuple[list[Candidate], KnownFacts],
) -> None:
    gone = set[str]()
    for made in reconcile(*turn):
        touched = {fact.id for fact in made.facts}
        assert not touched & gone
        gone |= touched if made.act in RETIRING else set()


@given(facts(), texts)
def test_what_is_stored_verbatim_is_a_repeat(held: Fact, other: str) -> None:
    """It never becomes a second fact."""
    mine = replace(held, scope=SCOPES[0], origin=Origin.LEARNED, trust=Trust.TRUSTED)
    beside = replace(mine, id="another", text=other)
    known = KnownFacts(facts=[beside, mine], scope=SCOPES[3], now=NOW)
    [made] = reconcile([Candidate(text=mine.text.upper(), found_by="llm:tiny")], known)
    assert (made.act, made.facts[0].text.lower()) == (Act.REPEAT, mine.text.lower())
