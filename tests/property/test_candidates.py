"""Patterns accept any text and invent nothing; reconciliation of any facts and any candidates."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from erstwhile import Fact, Scope, draft
from erstwhile.core.kinds import Kind, Origin
from erstwhile.core.text import checked_label, checked_text, folded
from erstwhile.learning.candidate import Candidate, ChangeType, FactStatus
from erstwhile.learning.patterns.language import LANGUAGES, language
from erstwhile.learning.patterns.read import MAX_SENTENCE, candidates
from erstwhile.learning.reconcile import RETIRING, KnownFacts, reconcile
from erstwhile.learning.salience import salience
from erstwhile.learning.turn import Turn
from erstwhile.types import Trust
from tests.learning.user_turns import turn

_WORD = re.compile(r"[a-z0-9]+|[\u3400-\u9fff]")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
OURS = {
    word
    for name in LANGUAGES
    for text in (
        *(rule.text for rule in language(name).rules),
        *(
            str(language(name).words.get(table, ""))
            for table in ("who", "subject", "told", "months")
        ),
    )
    for word in _WORD.findall(folded(text))
}
"""The words that patterns add; all others must have been said."""

WORDS = json.loads(Path(__file__).with_name("sentences.json").read_text("utf-8"))
openings, stems, values, endings = (
    st.sampled_from(WORDS[name]) for name in ("openings", "stems", "values", "endings")
)
sentences = st.builds(lambda *parts: "".join(parts), openings, stems, values, endings)
messages = st.lists(sentences | st.text(max_size=20), max_size=5).map("\n".join)
roles = st.sampled_from(["user", "user", "assistant", "tool", "system"])
turns = st.lists(st.tuples(roles, messages), max_size=4).map(lambda said: turn(*said))


@given(turns)
def test_nothing_is_made_up(said: Turn) -> None:
    """Every word of a candidate is from the user or from the rule."""
    heard = "\n".join(line.text for line in said.lines if line.role == "user")
    words = set(_WORD.findall(folded(heard)))
    known = OURS | words | {f"{word}{end}" for word in words for end in ("s", "es")}
    for candidate in candidates(said):
        plain = _DATE.sub(" ", candidate.text)
        assert set(_WORD.findall(folded(plain))) <= known, candidate
        for name in (*candidate.entities, *candidate.instead_of):
            assert folded(name) in folded(heard.replace("’", "'")), candidate


@given(turns)
def test_every_candidate_can_be_stored_and_traced(said: Turn) -> None:
    """Its kind is known, a state ends in the future, and its message is the user's."""
    own = {line.message for line in said.lines if line.role == "user"}
    for candidate in candidates(said):
        assert checked_text(candidate.text, name="text", limit=1_000).strip() == candidate.text
        for label in (*candidate.entities, candidate.key or "none"):
            assert checked_label(label, name="label") == label
        assert isinstance(candidate.kind, Kind)
        assert candidate.kind is not Kind.STATE or candidate.expires_at is not None
        assert candidate.expires_at is None or candidate.expires_at > said.said_at
        assert candidate.valid_from is None or candidate.valid_from <= said.said_at
        assert set(candidate.messages) <= own
        assert candidate.origin is Origin.LEARNED
        assert re.fullmatch(r"patterns/[a-z]+/[a-z-]+", candidate.found_by)


@given(st.text())
def test_any_text_is_judged(text: str) -> None:
    judged = salience(turn(text))
    assert judged.reason
    assert candidates(turn(text)) == [] or judged.durable


@given(turns)
def test_what_patterns_find_is_worth_a_look(said: Turn) -> None:
    """No turn that patterns understand is dropped before a model sees it."""
    assert not candidates(said) or salience(said).durable


@given(st.lists(sentences, min_size=1, max_size=3), st.sampled_from(["ok", "thanks!", "你好", "?"]))
def test_small_talk_before_it_hides_nothing(said: list[str], before: str) -> None:
    """The first line does not decide for all."""
    alone = salience(turn("\n".join(said)))
    assert salience(turn("\n".join([before, *said]))).durable or not alone.durable


HARD: list[str] = WORDS["hard"]
"""What takes a careless pattern for ever when it is repeated."""


@pytest.mark.parametrize("hard", HARD)
def test_the_time_grows_with_the_text_and_no_faster(hard: str) -> None:
    """Five times the text may take five times as long, and some more on a busy machine."""
    line = (hard * MAX_SENTENCE)[: MAX_SENTENCE - 1] + "\n"
    short, long = (_seconds(hard * size + line * (size // 500)) for size in (2_000, 10_000))
    assert long < 5 * 4 * max(short, 0.005)


def _seconds(text: str) -> float:
    """Return the shortest of three times, since the machine may be busy."""
    taken = []
    for _ in range(3):
        begun = process_time()
        salience(turn(text))
        candidates(turn(text))
        taken.append(process_time() - begun)
    return min(taken)


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
def proposals(draw: st.DrawFn, known: list[Fact]) -> Candidate:
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
def proposed_turns(draw: st.DrawFn) -> tuple[list[Candidate], KnownFacts]:
    known = draw(st.lists(facts(), max_size=5))
    protected = {fact.id for fact in known if draw(st.booleans())}
    said = draw(st.lists(proposals(known), max_size=4))
    return said, KnownFacts(facts=known, scope=SCOPES[3], now=NOW, protected=protected)


@given(proposed_turns())
def test_each_candidate_has_one_change_and_the_same_every_time(
    turn: tuple[list[Candidate], KnownFacts],
) -> None:
    made = reconcile(*turn)
    assert [each.candidate.text for each in made] == [each.text for each in turn[0]]
    assert all(each.because for each in made)
    assert made == reconcile(*turn)


@given(proposed_turns())
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


@given(proposed_turns())
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
    mine = replace(held, scope=SCOPES[0], origin=Origin.LEARNED, trust=Trust.TRUSTED)
    beside = replace(mine, id="another", text=other)
    known = KnownFacts(facts=[beside, mine], scope=SCOPES[3], now=NOW)
    [made] = reconcile([Candidate(text=mine.text.upper(), found_by="llm:tiny")], known)
    assert (made.act, made.facts[0].text.lower()) == (ChangeType.REPEAT, mine.text.lower())
