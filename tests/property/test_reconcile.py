"""Properties of reconciliation for any facts and any candidates."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from erstwhile import Fact, Scope, draft
from erstwhile.learning.candidate import Act, Candidate, Change
from erstwhile.learning.reconcile import reconcile
from erstwhile.types import Origin, Tier

NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)
SCOPES = (Scope(user="ana"), Scope(user="ben"), Scope(), Scope(user="ana", project="x"))
PIECES = [
    "The user", "Ana", "lives in", "likes", "doesn't like", "Lisbon", "Porto", "port", "8080",
    "8081", "not", "no longer", "now", "用户", "住在", "上海", "不", "喜欢", "is", "prefers", "tea",
    "over", "coffee", "was", "default branch", "has 2", "cats", "#", "@", "⟨home⟩", ",", "(", ".",
]  # fmt: skip
SENTENCES = [
    "The user lives in Lisbon.", "The user lives in Porto.", "The user moved to Porto.",
    "The user likes tea.", "The user dislikes tea.", "The user has 2 cats.", "The user has 3 cats.",
    "用户住在上海。", "用户住在杭州。", "The API returns JSON.",
]  # fmt: skip
texts = st.one_of(
    st.sampled_from(SENTENCES),
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=8).map(" ".join),
    st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=60),
).filter(lambda text: not text.isspace())
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
    return Candidate(
        text=draw(st.one_of(texts, st.sampled_from([fact.text for fact in known] or ["x"]))),
        key=draw(keys),
        replaces=tuple(draw(st.lists(st.sampled_from(ids), max_size=2))),
        instead_of=tuple(draw(st.lists(st.sampled_from(["Lisbon", "tea", "上海"]), max_size=1))),
        ends=draw(st.booleans()),
        valid_from=draw(st.none() | moments),
        origin=draw(st.sampled_from(Origin)),
    )


@st.composite
def turns(draw: st.DrawFn) -> tuple[list[Candidate], list[Fact]]:
    known = draw(st.lists(facts(), max_size=5))
    return draw(st.lists(candidates(known), max_size=4)), known


def changes(said: list[Candidate], known: list[Fact]) -> list[Change]:
    return reconcile(said, known, scope=SCOPES[0], now=NOW)


@given(turns())
def test_each_candidate_has_one_change_and_the_same_every_time(
    turn: tuple[list[Candidate], list[Fact]],
) -> None:
    said, known = turn
    made = changes(said, known)
    assert [each.candidate.text for each in made] == [each.text for each in said]
    assert all(each.because for each in made)
    assert made == changes(said, known)


@given(turns())
def test_what_is_touched_may_be(turn: tuple[list[Candidate], list[Fact]]) -> None:
    """No fact of another scope, and no fact that the candidate may not change."""
    for made in changes(*turn):
        assert all(fact.scope == SCOPES[0] for fact in made.facts)
        if made.act not in (Act.SUPERSEDE, Act.END):
            continue
        origin = made.candidate.origin
        assert made.facts
        assert not any(fact.pinned for fact in made.facts)
        assert all(fact.trust is origin.trust for fact in made.facts)
        if origin is Origin.AGENT:
            assert all(fact.tier is Tier.INFERRED for fact in made.facts)


@given(turns())
def test_a_fact_is_retired_once_and_not_repeated_after(
    turn: tuple[list[Candidate], list[Fact]],
) -> None:
    gone = set[str]()
    for made in changes(*turn):
        touched = {fact.id for fact in made.facts}
        assert made.act is Act.REFUSE or not touched & gone
        gone |= touched if made.act in (Act.SUPERSEDE, Act.END) else set()


@given(facts(), texts)
def test_what_is_stored_verbatim_is_a_repeat(held: Fact, other: str) -> None:
    """It never becomes a second fact."""
    mine = replace(held, scope=SCOPES[0], origin=Origin.LEARNED, trust=Origin.LEARNED.trust)
    beside = replace(mine, id="another", text=other)
    [made] = changes([Candidate(text=mine.text)], [beside, mine])
    assert made.act is Act.REPEAT
    assert made.facts[0].text in (mine.text, other)


@given(
    st.permutations(
        ["The user likes tea.", "用户住在上海。", "The API returns JSON.", "Ana is 34 years old."]
    )
)
def test_the_order_of_unrelated_candidates_does_not_matter(order: list[str]) -> None:
    """Each has the effect that it has alone."""
    known = [
        _known("The user dislikes tea."),
        _known("用户住在杭州。"),
        _known("Ana is 33 years old."),
    ]
    made = {
        each.candidate.text: each
        for each in changes([Candidate(text=text) for text in order], known)
    }
    for text in order:
        [alone] = changes([Candidate(text=text)], known)
        assert made[text] == alone


def _known(text: str) -> Fact:
    at = NOW - timedelta(days=30)
    return replace(draft(text, origin=Origin.LEARNED, now=at).to_fact(SCOPES[0], at), id=text)
