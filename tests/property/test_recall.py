"""Invariants 3, 6 and 7 of recall, compared with an oracle that reads every record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import erstwhile
from erstwhile.adapters.embedders.hashing import HashingEmbedder
from erstwhile.core.ports import Embedder
from erstwhile.memory import Memory
from erstwhile.recall.hits import Hit
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import embedding_memory
from tests.contracts.recall.among import ADD, ERASE, HIDE, KINDS, SHOW
from tests.property.places import Place, given_on_each_engine, in_process
from tests.recall.oracle import Expected, expected_facts, expected_messages

WORDS = (
    "tea", "coffee", "milk", "Ana", "Bob", "Lisbon", "shop", "oven", "port", "8080", "8081", "the",
    "getUserName", "user_name", "数据库", "商店", "café", "not", "runs", "running",
)  # fmt: skip
SCOPES: tuple[dict[str, str], ...] = (
    {}, {"user": "ana"}, {"user": "bob"}, {"user": "ana", "agent": "coder"},
)  # fmt: skip
sentences = st.lists(st.sampled_from(WORDS), min_size=1, max_size=8).map(" ".join)


@st.composite
def facts(draw: st.DrawFn) -> tuple[int, dict[str, Any]]:
    said: dict[str, Any] = {
        "text": draw(sentences),
        "kind": draw(st.sampled_from(["fact", "preference", "profile", "event"])),
        "entities": draw(st.lists(st.sampled_from(["Ana", "Bob"]), max_size=1)),
        "tags": draw(st.lists(st.sampled_from(["hot", "shop"]), max_size=1)),
        "origin": draw(st.sampled_from(["person", "person", "person", "web"])),
        "pinned": draw(st.booleans()),
    }
    if draw(st.booleans()):
        said["source"] = draw(st.sampled_from(["chat-1", "chat-2"]))
    return draw(st.integers(0, len(SCOPES) - 1)), said


memories = st.lists(facts(), min_size=1, max_size=25)
limits = st.integers(1, 30)
filters = st.sampled_from([{}, {}, {"kind": "preference"}, {"tag": "hot"}, {"entity": "Ana"}])


def filled(
    said: Sequence[tuple[int, dict[str, Any]]],
    embedder: Embedder | None,
    clock: FakeClock,
    place: Place = in_process,
) -> Memory:
    memory = embedding_memory(place(), clock, embedder)
    for scope, fact in said:
        memory.scoped(**SCOPES[scope]).remember(**fact)
        clock.advance(hours=7)
    everyone = memory.everything().facts.list(state="any", limit=1_000)
    first = next(fact for fact in reversed(everyone) if fact.retired_at is None)
    memory.everything().facts.retire(first.id, "wrong")
    memory.flush()
    return memory


@pytest.mark.parametrize("embedder", [None, HashingEmbedder(32)], ids=["words", "meaning"])
@given_on_each_engine(
    said=memories, query=sentences, scope=st.integers(0, 3), limit=limits, asked=filters
)
def test_recall_is_what_comparing_every_visible_fact_gives(
    place: Place,
    embedder: Embedder | None,
    said: list[tuple[int, dict[str, Any]]],
    query: str,
    scope: int,
    limit: int,
    asked: dict[str, Any],
) -> None:
    memory = filled(said, embedder, FakeClock(), place)
    reader = memory.scoped(**SCOPES[scope])
    hits = reader.recall(query, limit, **asked)
    agree(hits, expected_facts(reader, query, embedder, **asked), limit)
    assert all(reader.scope.sees(hit.record.scope) for hit in hits)
    memory.close()


def agree(hits: Sequence[Hit], wanted: Sequence[Expected], limit: int) -> None:
    """Assert that the hits are the first of all wanted ones, in any order among equal scores."""
    first = wanted[:limit]
    scores = [hit.why.score for hit in hits]
    assert scores == pytest.approx([each.score for each in first], abs=1e-5)
    for hit, each in zip(hits, first, strict=True):
        twins = [other.id for other in wanted if other.score == pytest.approx(each.score, abs=1e-5)]
        assert hit.record.id in twins


@st.composite
def messages(draw: st.DrawFn) -> tuple[int, str, str, str]:
    """Generate a scope, a channel, a role and a text, which has up to three passages."""
    filler = "Nothing of this is asked for. " * 12
    parts = draw(st.lists(sentences, min_size=1, max_size=3))
    said = f". {filler}".join(parts) if len(parts) > 1 else parts[0]
    role = draw(st.sampled_from(["user", "user", "assistant", "tool"]))
    return draw(st.integers(0, 3)), draw(st.sampled_from(["chat", "mail"])), role, said


dialogues = st.lists(messages(), min_size=1, max_size=8)


def spoken(
    said: Sequence[tuple[int, str, str, str]],
    embedder: Embedder | None,
    clock: FakeClock,
    place: Place = in_process,
) -> Memory:
    memory = embedding_memory(place(), clock, embedder)
    for scope, channel, role, text in said:
        memory.scoped(**SCOPES[scope]).conversations.add(role, text, channel=channel)
        clock.advance(minutes=7)
    memory.flush()
    return memory


@pytest.mark.parametrize("embedder", [None, HashingEmbedder(32)], ids=["words", "meaning"])
@given_on_each_engine(said=dialogues, query=sentences, scope=st.integers(0, 3), limit=limits)
def test_recall_among_messages_is_what_comparing_every_visible_passage_gives(
    place: Place,
    embedder: Embedder | None,
    said: list[tuple[int, str, str, str]],
    query: str,
    scope: int,
    limit: int,
) -> None:
    memory = spoken(said, embedder, FakeClock(), place)
    reader = memory.scoped(**SCOPES[scope])
    hits = reader.recall(query, limit, among="messages")
    agree(hits, expected_messages(reader, query, embedder), limit)
    for hit in hits:
        assert reader.scope.sees(hit.record.scope)
        assert hit.passage.text == hit.message.content[hit.passage.start : hit.passage.end]
    assert reader.conversations.search(query, limit=limit) == hits
    memory.close()


@given_on_each_engine(said=memories, query=sentences, limit=limits)
def test_replaying_the_outbox_changes_nothing(
    place: Place, said: list[tuple[int, dict[str, Any]]], query: str, limit: int
) -> None:
    clock = FakeClock()
    memory = filled(said, HashingEmbedder(32), clock, place)
    everything = memory.everything()
    before = everything.recall(query, limit)
    again = "INSERT INTO outbox SELECT space, seq, 0, 0, NULL FROM passages"
    assert memory._access.engine.write(lambda session: session.run(again, {})) > 0
    assert everything.flush().texts == 0
    assert everything.recall(query, limit) == before
    afresh = embedding_memory(memory._access.engine, clock, HashingEmbedder(32))
    assert afresh.everything().recall(query, limit) == before
    memory.close()


@pytest.mark.parametrize("embedder", [None, HashingEmbedder(32)], ids=["words", "meaning"])
@given(query=st.text(min_size=1))
def test_no_question_breaks_it(embedder: Embedder | None, query: str) -> None:
    """It is answered, or refused because it cannot be a text."""
    memory = filled([(0, {"text": "tea with a b c and 数据库 ー é"})], embedder, FakeClock())
    memory.remember("tea")
    memory.flush()
    if not query.strip() or "\0" in query:
        with pytest.raises(erstwhile.InvalidInputError, match="query"):
            memory.recall(query)
    else:
        assert len(memory.recall(query, graph=True, recent=True)) == 1
    memory.close()


@given(text=st.text(min_size=1).filter(lambda text: any(letter.isalnum() for letter in text)))
def test_whatever_is_remembered_is_found_by_its_own_words(text: str) -> None:
    memory = filled([(0, {"text": "zzz"})], None, FakeClock())
    try:
        fact = memory.remember(text)
    except erstwhile.InvalidInputError:
        return
    assert fact.id in [hit.fact.id for hit in memory.recall(text, floor=0.0)]
    memory.close()


VERBS = ("add", "add", "hide", "show", "erase", "tag", "replace", "retire", "undo", "branch")
Change = tuple[str, str, int, str, int]

texts = st.builds(
    lambda words, times: f"{' '.join(words)}. " * times,
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=5),
    st.sampled_from([1, 1, 40]),
)
changes = st.lists(
    st.tuples(
        st.sampled_from(VERBS),
        st.sampled_from(KINDS),
        st.integers(0, len(SCOPES) - 1),
        texts,
        st.integers(0, 9),
    ),
    min_size=1,
    max_size=15,
)


def change(memory: Memory, known: list[tuple[str, str, int]], made: Change) -> None:
    """Make a change; a change that is not possible now changes nothing."""
    verb, kind, scope, text, chosen = made
    if verb == "add":
        known.append((kind, ADD[kind](memory.scoped(**SCOPES[scope]), text), scope))
        return
    if not known:
        return
    kind, id, scope = known[chosen % len(known)]
    own = memory.scoped(**SCOPES[scope])
    verbs: dict[str, Callable[[], object]] = {
        "hide": lambda: HIDE[kind](own, id),
        "show": lambda: SHOW[kind](own, id),
        "erase": lambda: ERASE[kind](own, id),
        "tag": lambda: own.remember(own.facts.get(id).text, tags=["a new label"]),
        "replace": lambda: own.facts.replace(id, text),
        "undo": lambda: own.facts.undo(id),
        "retire": lambda: own.facts.retire(id, "superseded"),
        "branch": lambda: own.conversations.branch(id),
    }
    try:
        verbs[verb]()
    except (erstwhile.ErstwhileError, KeyError):
        return


def counts(memory: Memory, sql: str) -> Counter[tuple[int, str]]:
    rows = memory._access.engine.read(lambda session: session.rows(sql, {}))
    return Counter(
        {
            (partition, name): int(number)
            for partition, *numbers in rows
            for name, number in zip(("passages", "terms"), numbers, strict=True)
            if number
        }
    )


@given_on_each_engine(made=changes)
def test_a_partition_counts_what_it_holds(place: Place, made: list[Change]) -> None:
    memory = embedding_memory(place(), FakeClock(), None)
    known: list[tuple[str, str, int]] = []
    for each in made:
        change(memory, known, each)
    held = counts(
        memory,
        "SELECT partition, COUNT(*), SUM(CASE WHEN terms = '' THEN 0 ELSE"
        " LENGTH(terms) - LENGTH(REPLACE(terms, ' ', '')) + 1 END)"
        " FROM passages GROUP BY partition",
    )
    assert counts(memory, "SELECT id, passages, terms FROM partitions") == held
    memory.close()
