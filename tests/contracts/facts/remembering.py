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
        assert fact.recorded_at == clock.now()
        assert fact.expires_at == clock.now() + timedelta(days=30)

    def test_what_is_left_out_has_a_plain_default(self, memory: Memory, clock: FakeClock) -> None:
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
        assert memory.facts.get(memory.remember(text).id).text == text

    @pytest.mark.parametrize("source", ["c1", {"conversation": "c1"}, Source(conversation="c1")])
    def test_a_source_may_be_written_in_three_ways(self, memory: Memory, source: Any) -> None:
        assert memory.remember("x", source=source).source == Source(conversation="c1")

    def test_ids_are_uuids_that_hold_their_time(self, memory: Memory, clock: FakeClock) -> None:
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
        with unchanged(memory), pytest.raises(InvalidInputError):
            memory.remember("x", **wrong)


class RememberingManyContract(Contract):
    def test_items_may_be_texts_mappings_and_drafts(self, memory: Memory, clock: FakeClock) -> None:
        facts = memory.remember_many(
            ["one", {"text": "two", "tags": ["t"]}, draft("three", now=clock.now())]
        )
        assert texts(facts) == ["one", "two", "three"]
        assert len({fact.recorded_at for fact in facts}) == 3
        assert texts(memory.facts.list()) == ["three", "two", "one"]
        with unchanged(memory):
            assert memory.remember_many([]) == []

    def test_a_repeat_within_one_call_adds_evidence(self, memory: Memory) -> None:
        first, second = memory.remember_many(["Tea, please", "tea,  PLEASE"])
        assert (first.id, second.evidence) == (second.id, 2)
        assert memory.facts.count() == 1

    @pytest.mark.parametrize(
        ("wrong", "error"),
        [
            ("  ", InvalidInputError),
            (5, InvalidInputError),
            (None, InvalidInputError),
            (b"x", InvalidInputError),
            (["x"], InvalidInputError),
            (("x", "y"), InvalidInputError),
            ({}, InvalidInputError),
            ({"text": "x", 5: "y"}, InvalidInputError),
            ({"text": None}, InvalidInputError),
            ({"kind": "fact"}, InvalidInputError),
            ({"text": "x", "colour": "red"}, InvalidInputError),
            ({"text": "x", "now": "now"}, InvalidInputError),
            ({"text": "x" * 100_001}, TooLargeError),
            ({"text": "from the web", "key": "city", "origin": "web"}, RefusedError),
            ({"text": "later", "key": "city", "valid_from": "tomorrow"}, InvalidInputError),
        ],
        ids=lambda case: str(case)[:40],
    )
    def test_one_wrong_item_stores_none(
        self, memory: Memory, wrong: Any, error: type[Exception]
    ) -> None:
        memory.facts.set("city", "Rome")
        with unchanged(memory), pytest.raises(error, match=r"^item 2: "):
            memory.remember_many(["good", "fine", wrong, "too"])

    @input_check
    @pytest.mark.parametrize("items", ["a text", b"bytes", {"text": "one fact"}])
    def test_one_fact_is_not_taken_for_many(self, memory: Memory, items: Any) -> None:
        with unchanged(memory), pytest.raises(InvalidInputError):
            memory.remember_many(items)

    def test_items_that_break_off_store_nothing(self, memory: Memory) -> None:
        """The items are read before the transaction begins, so they may use the memory too."""

        def items() -> Iterator[str]:
            yield str(memory.facts.count())
            raise OSError("the connection was lost")

        with unchanged(memory), pytest.raises(OSError, match="lost"):
            memory.remember_many(items())

    def test_a_draft_stored_too_late_is_refused(self, memory: Memory, clock: FakeClock) -> None:
        late = draft("the build is red", kind="state", expires_at="1h", now=clock.now())
        clock.advance(hours=2)
        with unchanged(memory), pytest.raises(InvalidInputError, match="item 0"):
            memory.remember_many([late])


SAME = [
    ("Ana likes tea", "ana LIKES Tea"),
    ("Ana likes tea", "  Ana\tlikes\n\n tea "),
    ("Ana likes tea", "Ana\u00a0likes\u3000tea"),
    ("caf\u00e9", "cafe\u0301"),
    ("ＡＮＡ　１２３", "ana 123"),
    ("ﬁle ﬂow", "file flow"),
    ("Straße", "STRASSE"),
    ("ΟΔΟΣ", "οδος"),
    ("ｶﾞ", "ガ"),
    ("①", "1"),
    ("Å", "\u212b"),
]
DIFFERENT = [
    ("port 8080", "port 8081"),
    ("Ana likes tea", "Ana likes tea."),
    ("Ana likes tea", "Anal ikes tea"),
    ("resume", "résumé"),
    ("likes", "likes not"),
    ("数据库", "数据"),
]


class TwinsContract(Contract):
    @pytest.mark.parametrize(("one", "other"), SAME)
    def test_case_spacing_and_form_do_not_matter(
        self, memory: Memory, one: str, other: str
    ) -> None:
        first, second = memory.remember(one), memory.remember(other)
        assert (second.id, second.text, second.evidence) == (first.id, one, 2)
        assert texts(memory.facts.list()) == [one]

    @pytest.mark.parametrize(("one", "other"), DIFFERENT)
    def test_other_content_is_another_fact(self, memory: Memory, one: str, other: str) -> None:
        assert memory.remember(one).id != memory.remember(other).id
        assert memory.facts.count() == 2

    def test_twins_of_another_scope_kind_or_key_are_facts_of_their_own(
        self, memory: Memory
    ) -> None:
        ana, bob = memory.scoped(user="ana"), memory.scoped(user="bob")
        facts = [each.remember("likes tea") for each in (ana, bob, memory, ana.scoped(agent="a"))]
        assert len({fact.id for fact in facts}) == 4
        assert [fact.evidence for fact in facts] == [1] * 4
        facts = [memory.remember("likes tea", kind=kind) for kind in Kind]
        assert len({fact.id for fact in facts}) == len(Kind)
        plain, keyed = memory.remember("tea"), memory.remember("tea", key="drink")
        other = memory.remember("tea", key="smell")
        assert len({plain.id, keyed.id, other.id}) == 3

    def test_a_repeat_gathers_what_it_says_besides(self, memory: Memory) -> None:
        memory.remember(
            "x", tags=["One"], entities=["Ana"], metadata={"a": 1, "b": 1}, pinned=True,
            relations=[("Ana", "knows", "Bob")],
        )  # fmt: skip
        again = memory.remember(
            "x", tags=["ONE", "two"], entities=["ana", "Zoe"], metadata={"b": 2, "c": 3},
            relations=[("Ana", "knows", "Bob"), ("Ana", "likes", "Bob")],
        )  # fmt: skip
        assert again == memory.facts.get(again.id)
        assert (again.tags, again.pinned) == (("One", "two"), True)
        assert again.entities == ("Ana", "Bob", "Zoe")
        assert again.metadata == {"a": 1, "b": 2, "c": 3}
        assert again.relations == (Relation("Ana", "knows", "Bob"), Relation("Ana", "likes", "Bob"))
        assert [len(memory.facts.list(tag=tag)) for tag in ("one", "two")] == [1, 1]
        assert memory.facts.count(entity="zoe") == 1

    def test_repeats_do_not_get_round_the_limits(self, memory: Memory) -> None:
        memory.remember("x", tags=[f"a{n}" for n in range(50)], metadata={"a": "x" * 40_000})
        with unchanged(memory), pytest.raises(TooLargeError, match="tags"):
            memory.remember("x", tags=["one more"])
        with unchanged(memory), pytest.raises(TooLargeError, match="metadata"):
            memory.remember("x", metadata={"b": "x" * 40_000})
        relations = [("a", f"p{n}", "b") for n in range(50)]
        memory.remember("y", relations=relations)
        with unchanged(memory), pytest.raises(TooLargeError, match="relations"):
            memory.remember("y", relations=[("a", "one more", "b")])

    def test_a_repeat_renews_the_expiry(self, memory: Memory, clock: FakeClock) -> None:
        memory.remember("the build is red", kind="state", expires_at="1h")
        again = memory.remember("the build is red", kind="state", expires_at="3h")
        assert again.expires_at == clock.now() + timedelta(hours=3)
        clock.advance(hours=2)
        assert texts(memory.facts.list()) == ["the build is red"]

    def test_a_repeat_ends_no_fact_early(self, memory: Memory) -> None:
        memory.remember("Ana lives in Rome")
        again = memory.remember(
            "Ana lives in Rome", valid_from="2020-01-01", expires_at="2021-01-01"
        )
        assert (again.expires_at, again.evidence) == (None, 2)
        assert texts(memory.facts.list()) == ["Ana lives in Rome"]
        memory.remember("the fair is on", valid_from="in 10 days")
        again = memory.remember("the fair is on", expires_at="in 3 days")
        assert again.expires_at is None
        assert memory.facts.count(state="upcoming") == 1

    @pytest.mark.parametrize("ending", ["superseded", "wrong", "expired"])
    def test_after_ending_same_words_are_new_fact(self, memory: Memory, ending: str) -> None:
        first = memory.remember("x")
        memory.facts.retire(first.id, ending)
        second = memory.remember("x")
        assert (second.id != first.id, second.evidence) == (True, 1)
        assert memory.facts.get(first.id).evidence == 1

    def test_after_deletion_the_same_words_are_a_new_fact(self, memory: Memory) -> None:
        first = memory.remember("x")
        memory.facts.delete(first.id)
        assert memory.remember("x").id != first.id
        assert memory.facts.count() == memory.facts.count(deleted=True) == 1

    def test_after_expiry_same_words_are_new_fact(self, memory: Memory, clock: FakeClock) -> None:
        first = memory.remember("x", expires_at="1h")
        clock.advance(hours=1)
        second = memory.remember("x")
        old = memory.facts.get(first.id)
        assert (second.id != first.id, old.ending) == (True, "expired")
        assert old.valid_to == first.expires_at
        assert memory.audit.verify().ok
