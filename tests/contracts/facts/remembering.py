"""Storing facts: all details are stored, and a wrong item stores nothing."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from erstwhile.core.errors import InvalidInputError, RefusedError, TooLargeError
from erstwhile.core.kinds import Kind, Origin, Tier, Trust
from erstwhile.core.scope import SHARED
from erstwhile.facts.draft import draft
from erstwhile.facts.fact import Relation, Source
from erstwhile.memory import Memory
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import Contract, input_check, texts, unchanged


class RememberingContract(Contract):
    def test_a_fact_comes_back_as_it_was_said(self, memory: Memory, clock: FakeClock) -> None:
        """Every detail that a caller gives is stored."""
        told = memory.remember(
            "Ana moved the shop to Postgres 17",
            kind="decision",
            key="Shop  Database",
            entities=["Ana", "the shop"],
            relations=[("the shop", "Runs On", "Postgres 17")],
            tags=["infra", "Q1"],
            metadata={"ticket": 42, "by": {"tool": None, "δ": [1.5, True]}},
            confidence=0.8,
            tier="confirmed",
            valid_from="2026-02-20",
            expires_at=timedelta(days=30),
            origin="imported",
            source={"conversation": "c1", "messages": ["m1", "m2"]},
            pinned=True,
        )
        fact = memory.facts.get(told.id)
        assert fact == told
        assert (fact.kind, fact.key) == (Kind.DECISION, "shop database")
        assert fact.entities == ("Ana", "the shop", "Postgres 17")
        assert fact.relations == (Relation("the shop", "runs on", "Postgres 17"),)
        assert fact.tags == ("infra", "Q1")
        assert fact.metadata == {"ticket": 42, "by": {"tool": None, "δ": [1.5, True]}}
        assert (fact.confidence, fact.tier, fact.evidence) == (0.8, Tier.CONFIRMED, 1)
        assert (fact.origin, fact.trust, fact.pinned) == (Origin.IMPORTED, Trust.TRUSTED, True)
        assert fact.source == Source(conversation="c1", messages=("m1", "m2"))
        assert fact.valid_from.isoformat() == "2026-02-20T00:00:00+00:00"
        assert fact.expires_at == clock.now() + timedelta(days=30)

    def test_what_is_left_out_has_a_plain_default(self, memory: Memory, clock: FakeClock) -> None:
        """A bare text is a person's own statement, true from now on, for everybody."""
        fact = memory.facts.get(memory.remember("water is wet").id)
        assert (fact.kind, fact.origin, fact.tier) == (Kind.FACT, Origin.PERSON, Tier.STATED)
        assert (fact.confidence, fact.evidence, fact.trust) == (1.0, 1, Trust.TRUSTED)
        assert fact.valid_from == fact.recorded_at == fact.known_from == clock.now()
        assert fact.scope == SHARED
        assert (fact.pinned, fact.tags, fact.entities, fact.relations) == (False, (), (), ())
        assert fact.metadata == {}
        ends = (fact.valid_to, fact.expires_at, fact.retired_at, fact.ending)
        links = (fact.supersedes, fact.superseded_by, fact.key, fact.source, fact.deleted_at)
        assert (ends, links) == ((None,) * 4, ((), None, None, None, None))

    @pytest.mark.parametrize(
        "text",
        ["  outer spaces stay\n", "line\r\nline", "数据库在东京。",
         "👩‍👩‍👧 é e\u0301", "\u202eabc", "'; --", "{{known}}"],
    )  # fmt: skip
    def test_text_is_kept_letter_by_letter(self, memory: Memory, text: str) -> None:
        """Normal forms are for comparing, never for storing."""
        assert memory.facts.get(memory.remember(text).id).text == text

    @pytest.mark.parametrize("source", ["c1", {"conversation": "c1"}, Source(conversation="c1")])
    def test_a_source_may_be_written_in_three_ways(self, memory: Memory, source: Any) -> None:
        """A conversation's id alone, a mapping, or the value itself."""
        assert memory.remember("x", source=source).source == Source(conversation="c1")

    def test_ids_are_uuids_that_hold_their_time(self, memory: Memory, clock: FakeClock) -> None:
        """An id is a UUIDv7 of the moment of recording."""
        parsed = uuid.UUID(memory.remember("x").id)
        assert parsed.version == 7
        assert parsed.int >> 80 == int(clock.now().timestamp() * 1000)

    @input_check
    @pytest.mark.parametrize(
        "wrong",
        [
            {"kind": ""}, {"kind": "rumour"}, {"kind": "Fact"}, {"tier": "sure"}, {"origin": "me"},
            {"confidence": 1.1}, {"confidence": -0.1}, {"confidence": float("nan")},
            {"confidence": True}, {"confidence": "0.5"}, {"tags": "infra"}, {"tags": {"a": 1}},
            {"entities": "Ana"}, {"relations": [("a", "b")]}, {"relations": ["abc"]},
            {"source": 5}, {"source": {"chat": "c1"}}, {"metadata": {1: 2}}, {"metadata": ["a"]},
            {"metadata": {"at": {1}}}, {"metadata": {"n": float("inf")}},
            {"origin": "web", "tier": "stated"},
        ],
        ids=str,
    )  # fmt: skip
    def test_a_wrong_detail_is_refused(self, memory: Memory, wrong: dict[str, Any]) -> None:
        """No vocabulary is open, and nothing is guessed or stored as it came."""
        with unchanged(memory), pytest.raises(InvalidInputError):
            memory.remember("x", **wrong)


class RememberingManyContract(Contract):
    def test_items_may_be_texts_mappings_and_drafts(self, memory: Memory, clock: FakeClock) -> None:
        """The facts come back in the order of the items, each at a moment of its own."""
        facts = memory.remember_many(
            ["one", {"text": "two", "tags": ["t"]}, draft("three", now=clock.now())]
        )
        assert texts(facts) == ["one", "two", "three"]
        assert len({fact.recorded_at for fact in facts}) == 3
        assert texts(memory.facts.list()) == ["three", "two", "one"]

    def test_no_items_are_no_change(self, memory: Memory) -> None:
        """An empty list stores nothing and is no error."""
        with unchanged(memory):
            assert memory.remember_many([]) == []

    def test_a_repeat_within_one_call_adds_evidence(self, memory: Memory) -> None:
        """The second of two equal items sees the first."""
        first, second = memory.remember_many(["Tea, please", "tea,  PLEASE"])
        assert (first.id, second.evidence) == (second.id, 2)
        assert memory.facts.count() == 1

    @pytest.mark.parametrize(
        ("wrong", "error"),
        [
            ("  ", InvalidInputError),
            (5, InvalidInputError),
            ({"kind": "fact"}, InvalidInputError),
            ({"text": "x", "colour": "red"}, InvalidInputError),
            ({"text": "x", "now": "now"}, InvalidInputError),
            ({"text": "x" * 100_001}, TooLargeError),
            ({"text": "from the web", "key": "city", "origin": "web"}, RefusedError),
            ({"text": "later", "key": "city", "valid_from": "tomorrow"}, InvalidInputError),
        ],
        ids=lambda case: str(case)[:40],
    )
    def test_one_wrong_item_stores_none_and_is_named(
        self, memory: Memory, wrong: Any, error: type[Exception]
    ) -> None:
        """All or nothing, also when the item is refused in the middle of the transaction."""
        memory.facts.set("city", "Rome")
        with unchanged(memory), pytest.raises(error, match=r"^item 2: "):
            memory.remember_many(["good", "fine", wrong, "too"])

    @input_check
    @pytest.mark.parametrize("items", ["a text", b"bytes", {"text": "one fact"}])
    def test_one_fact_is_not_taken_for_many(self, memory: Memory, items: Any) -> None:
        """A text is not a list of its letters."""
        with unchanged(memory), pytest.raises(InvalidInputError):
            memory.remember_many(items)

    def test_items_that_break_off_store_nothing(self, memory: Memory) -> None:
        """The items are read before the transaction begins, so they may use the memory too."""

        def items() -> Iterator[str]:
            yield str(memory.facts.count())
            raise OSError("the connection was lost")

        with unchanged(memory), pytest.raises(OSError, match="lost"):
            memory.remember_many(items())

    def test_a_draft_that_is_stored_too_late_is_refused(
        self, memory: Memory, clock: FakeClock
    ) -> None:
        """What expired before it was recorded would never have been true."""
        late = draft("the build is red", kind="state", expires_at="1h", now=clock.now())
        clock.advance(hours=2)
        with unchanged(memory), pytest.raises(InvalidInputError, match="item 0"):
            memory.remember_many([late])
