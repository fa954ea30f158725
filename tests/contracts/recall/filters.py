"""Recall with filters and at past times returns `limit` hits whenever enough facts match."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from erstwhile.adapters.embedders.hashing import HashingEmbedder
from erstwhile.bootstrap import assemble
from erstwhile.core.ports import Engine
from erstwhile.core.scope import Viewer
from erstwhile.memory import Memory
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import Contract, embedding_memory, found, input_check, remember_in_parts

CROWD = 400


class RecallFiltersContract(Contract):
    @pytest.fixture(params=["words", "meaning"])
    def memory(self, engine: Engine, clock: FakeClock, request: pytest.FixtureRequest) -> Memory:
        if request.param == "words":
            return assemble(engine, clock, Viewer())
        return embedding_memory(engine, clock, HashingEmbedder(64))

    @pytest.fixture
    def crowded(self, memory: Memory, clock: FakeClock) -> Memory:
        """Store five matching facts, and many others that match better."""
        memory.remember_many(
            [
                {
                    "text": f"once upon a time in a village far away someone baked bread {n}",
                    "kind": "event", "tags": ["old"], "entities": ["Village"],
                }
                for n in range(5)
            ]
        )  # fmt: skip
        clock.advance(days=1)
        memory.remember_many([f"bread {n}" for n in range(CROWD)])
        memory.flush()
        return memory

    @pytest.mark.parametrize(
        "asked",
        [
            {"kind": "event"},
            {"kind": ["event", "profile"]},
            {"tag": "OLD"},
            {"entity": "village"},
            {"contains": "village"},
            {"until": "12 hours ago"},
            {"kind": "event", "tag": "old", "until": "now"},
        ],
        ids=str,
    )
    def test_the_filter_is_part_of_the_search(self, crowded: Memory, asked: dict[str, Any]) -> None:
        """All facts that pass are found, however many better ones the filter excludes."""
        hits = crowded.recall("bread", limit=5, **asked)
        assert len(hits) == 5
        assert all("village" in text for text in found(hits))
        assert len(crowded.recall("bread", limit=3, **asked)) == 3

    def test_since_leaves_the_older_out(self, crowded: Memory) -> None:
        hits = crowded.recall("bread", limit=CROWD, since="12 hours ago")
        assert len(hits) == CROWD
        assert not any("village" in text for text in found(hits))

    def test_as_many_as_asked_for_are_found(self, memory: Memory) -> None:
        """Exactly `limit`, up to 1,000."""
        remember_in_parts(memory, (f"bread {n}" for n in range(1_100)))
        memory.flush()
        assert [len(memory.recall("bread", limit=k)) for k in (1, 64, 65, 1_000)] == [
            1,
            64,
            65,
            1_000,
        ]

    @input_check
    def test_a_misspelt_filter_is_refused(self, crowded: Memory) -> None:
        with pytest.raises(TypeError, match="kinds"):
            crowded.recall("bread", kinds="event")  # type: ignore[call-arg]

    def test_a_small_scope_is_not_drowned_by_a_large_one(self, memory: Memory) -> None:
        """Thousands of nearer facts of others change neither number nor order."""
        bob = memory.scoped(user="bob")
        bob.remember_many(
            [f"someone somewhere baked bread and {word}" for word in ("ate", "slept")]
        )
        memory.remember("shared bread")
        memory.flush()
        before = bob.recall("bread")
        remember_in_parts(memory.scoped(user="ana"), (f"bread {n}" for n in range(2_000)))
        memory.flush()
        assert bob.recall("bread") == before
        assert len(before) == 3

    def test_shared_and_own_scopes_are_searched_together(self, memory: Memory) -> None:
        ana = memory.scoped(user="ana")
        coder = ana.scoped(agent="coder", project="shop")
        for view, text in (
            (memory, "tea for all"),
            (ana, "tea for Ana"),
            (coder, "tea for coders"),
        ):
            view.remember(text)
        memory.scoped(agent="other").remember("tea for others")
        memory.flush()
        assert len(coder.recall("tea")) == 3
        assert len(ana.recall("tea")) == 2
        assert len(memory.recall("tea")) == 1
        assert len(memory.everything().recall("tea")) == 4

    def test_who_sees_everything_searches_every_scope(self, memory: Memory) -> None:
        for number in range(300):
            memory.scoped(user=f"user {number}").remember(f"tea with milk and honey {number}")
        memory.flush()
        assert len(memory.everything().recall("milk and honey with tea", limit=300)) == 300


class RecallTimeContract(Contract):
    def test_what_is_not_live_is_not_recalled(self, memory: Memory, clock: FakeClock) -> None:
        """Retired, replaced, deleted, erased, expired, upcoming, quarantined."""
        memory.remember("tea in quarantine", origin="web")
        memory.remember("tea to come", valid_from="in 3 days")
        memory.remember("tea that expires", expires_at="in 1 day")
        old = memory.remember("old tea")
        memory.facts.replace(old.id, "new tea")
        for text, end in (
            ("wrong tea", lambda id: memory.facts.retire(id, "wrong")),
            ("deleted tea", memory.facts.delete),
            ("erased tea", memory.facts.erase),
        ):
            end(memory.remember(text).id)
        assert set(found(memory.recall("tea"))) == {"new tea", "tea that expires"}
        clock.advance(days=2)
        assert found(memory.recall("tea")) == ["new tea"]
        clock.advance(days=2)
        assert set(found(memory.recall("tea"))) == {"new tea", "tea to come"}

    def test_what_was_true_once_comes_when_asked(self, memory: Memory, clock: FakeClock) -> None:
        """But no fact that was wrong, is deleted, or is not true yet."""
        old = memory.remember("old tea")
        clock.advance(days=1)
        memory.facts.replace(old.id, "new tea")
        memory.facts.retire(memory.remember("wrong tea").id, "wrong")
        memory.facts.delete(memory.remember("deleted tea").id)
        memory.remember("web tea", origin="web")
        memory.remember("tea to come", valid_from="in 3 days")
        memory.remember("tea for a day", expires_at="in 1 day")
        clock.advance(days=2)
        hits = found(memory.recall("tea", include_retired=True))
        assert set(hits) == {"old tea", "new tea", "tea for a day"}

    @pytest.mark.parametrize("state", ["quarantined", "upcoming", "retired", "deleted"])
    def test_a_state_can_be_asked_for(self, memory: Memory, state: str) -> None:
        memory.remember("quarantined tea", origin="web")
        memory.remember("upcoming tea", valid_from="in 3 days")
        memory.facts.retire(memory.remember("retired tea").id, "wrong")
        memory.facts.delete(memory.remember("deleted tea").id)
        memory.remember("tea")
        wanted: Any = {"deleted": True} if state == "deleted" else {"state": state}
        assert found(memory.recall("tea", **wanted)) == [f"{state} tea"]

    def test_as_of_asks_about_the_world_then(self, memory: Memory, clock: FakeClock) -> None:
        old = memory.remember("the shop runs on MySQL")
        then = clock.advance(days=1)
        clock.advance(days=1)
        memory.facts.replace(old.id, "the shop runs on Postgres")
        assert found(memory.recall("shop", as_of=then)) == ["the shop runs on MySQL"]
        assert found(memory.recall("shop")) == ["the shop runs on Postgres"]
        assert found(memory.recall("shop", as_of="in 1 day")) == ["the shop runs on Postgres"]

    def test_known_at_asks_about_what_was_known(self, memory: Memory, clock: FakeClock) -> None:
        """A label that was added later finds nothing in the past."""
        memory.remember("the shop runs on MySQL", tags=["database"])
        then = clock.advance(days=1)
        clock.advance(days=1)
        memory.remember("the shop runs on MySQL", tags=["backend"], entities=["Shop"])
        memory.remember("the shop is closed", valid_from="3 days ago")
        assert found(memory.recall("shop", known_at=then)) == ["the shop runs on MySQL"]
        assert found(memory.recall("database", known_at=then)) == ["the shop runs on MySQL"]
        assert found(memory.recall("backend", known_at=then)) == []
        assert found(memory.recall("backend")) == ["the shop runs on MySQL"]

    def test_a_past_answer_never_changes(self, memory: Memory, clock: FakeClock) -> None:
        """Its facts, their order and their scores stay equal, whatever is learned later."""
        for text in (
            "green tea",
            "black tea with milk",
            "milk",
            "tea shop opens",
            "no drinks here",
        ):
            memory.remember(text, source="chat")
            clock.advance(minutes=1)
        then = clock.now()
        before = memory.recall("tea with milk last year", known_at=then)
        assert len(before) == 4
        clock.advance(days=400)
        memory.remember_many([{"text": f"tea {n}", "source": "chat"} for n in range(200)])
        memory.remember("green tea", tags=["milk"], entities=["Milk"])
        memory.facts.replace(before[0].fact.id, "coffee", valid_from=then + timedelta(days=1))
        memory.facts.pin(before[1].fact.id)
        assert memory.recall("tea with milk last year", known_at=then) == before

    @pytest.mark.parametrize(
        "query",
        [
            "Where did Ana live in May 2025?",
            "Where is it that Ana used to live?",
            "where did Ana live 2025-05",
            "where did Ana live last year",
            "Where did Ana live in 2025?",
            "Ana去年住在哪里？",
            "Ana以前住在哪里",
        ],
    )
    def test_a_question_about_the_past_finds_what_held_then(
        self, memory: Memory, clock: FakeClock, query: str
    ) -> None:
        """Together with live facts. A query without a period finds only live facts."""
        lisbon = memory.remember("Ana lives in Lisbon 住在里斯本", valid_from="2025-04-01")
        memory.facts.replace(lisbon.id, "Ana lives in Porto 住在波尔图", valid_from="2025-11-01")
        never = memory.remember("Ana lives in Rome 住在罗马", valid_from="2025-04-01")
        memory.facts.retire(never.id, "wrong")
        clock.advance(days=1)
        hits = memory.recall(query)
        assert hits.trace.period is not None
        assert set(found(hits)) == {
            "Ana lives in Lisbon 住在里斯本",
            "Ana lives in Porto 住在波尔图",
        }
        assert found(memory.recall("Where does Ana live?")) == ["Ana lives in Porto 住在波尔图"]

    def test_a_period_prefers_what_held_in_it(self, memory: Memory) -> None:
        lisbon = memory.remember("Ana lives in Lisbon", valid_from="2025-04-01")
        memory.facts.replace(lisbon.id, "Ana lives in Porto", valid_from="2025-11-01")
        hits = memory.recall("Where did Ana live in May 2025?")
        assert found(hits) == ["Ana lives in Lisbon", "Ana lives in Porto"]
        assert hits[0].why.factors["period"] > 0 > hits[1].why.factors["period"]


class WhyNotContract(Contract):
    def test_each_reason(self, memory: Memory, clock: FakeClock) -> None:
        """The first reason that excluded a fact."""
        live = memory.remember("green tea", kind="preference")
        gone = memory.remember("deleted tea")
        memory.facts.delete(gone.id)
        replaced = memory.remember("retired tea")
        memory.facts.retire(replaced.id, "superseded")
        expiring = memory.remember("tea for a day", expires_at="in 1 day")
        closed = memory.remember("closed tea")
        memory.facts.retire(closed.id, "expired")
        coming = memory.remember("tea to come", valid_from="in 9 days")
        web = memory.remember("web tea", origin="web")
        other = memory.remember("coffee")
        hidden = memory.scoped(user="bob").remember("Bob's tea")
        clock.advance(days=2)
        reasons = {
            live: "returned", gone: "deleted", replaced: "retired", expiring: "expired",
            closed: "expired", coming: "upcoming", web: "quarantined", other: "no_match",
            hidden: "not_found",
        }  # fmt: skip
        for fact, reason in reasons.items():
            said = memory.why_not("tea", fact.id)
            assert said.reason == reason
            assert said.detail
        assert memory.why_not("tea", live.id, kind="event").reason == "filtered"
        assert memory.why_not("tea", live.short_id).hit == memory.recall("tea")[0]

    def test_below_the_floor_or_outranked(self, memory: Memory) -> None:
        words = "meeting quarterly budget review marketing moved Thursday agenda slides draft owner"
        weak = memory.remember("a meeting about this or that")
        memory.remember_many([f"{words} number {n}" for n in range(12)])
        assert memory.why_not(f"{words} quartz zebra", weak.id).reason == "below_floor"
        hits = memory.recall(words, limit=12)
        last = memory.why_not(words, hits[-1].fact.id)
        assert (last.reason, last.rank, last.hit) == ("outranked", 12, hits[-1])
        assert memory.why_not(words, hits[9].fact.id).reason == "returned"

    def test_the_last_of_very_many_is_outranked(self, memory: Memory) -> None:
        remember_in_parts(memory, (f"tea {n}" for n in range(1_200)))
        last = memory.remember("tea " + "and other things that make it a long text " * 2)
        assert memory.why_not("tea", last.id).reason == "outranked"
