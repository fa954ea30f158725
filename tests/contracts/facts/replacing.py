"""Replacing: both facts change together, or neither does."""

from __future__ import annotations

from typing import Any

import pytest

from erstwhile.core.errors import ConflictError, InvalidInputError, RefusedError, TooLargeError
from erstwhile.core.kinds import Ending
from erstwhile.memory import Memory
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import Contract, texts, unchanged


class ReplacingContract(Contract):
    def test_the_new_fact_takes_the_place_of_the_old(
        self, memory: Memory, clock: FakeClock
    ) -> None:
        """They are linked both ways, and at every moment exactly one of them holds."""
        old = memory.remember("npm is used")
        clock.advance(days=1)
        new = memory.facts.replace(old.id, "pnpm is used", reason="Ana said so")
        ended = memory.facts.get(old.id)
        assert texts(memory.facts.list()) == ["pnpm is used"]
        assert (ended.ending, ended.superseded_by) == (Ending.SUPERSEDED, new.id)
        assert new.supersedes == (old.id,)
        assert ended.valid_to == ended.retired_at == new.valid_from == new.recorded_at
        assert texts(memory.facts.list(as_of=old.valid_from)) == ["npm is used"]
        assert texts(memory.facts.list(state="retired")) == ["npm is used"]

    def test_a_replacement_keeps_what_it_does_not_change(self, memory: Memory) -> None:
        """Kind, key, tags, metadata, expiry, pin, and the entities that it still names."""
        old = memory.remember(
            "Ana uses npm in the web shop", kind="preference", key="tool", tags=["js"],
            metadata={"a": 1}, expires_at="in 9 days", pinned=True, confidence=0.5,
            entities=["ANA", "npm", "the Web Shop"], relations=[("Ana", "uses", "npm")],
        )  # fmt: skip
        new = memory.facts.replace(old.id, "ana uses pnpm in the  web shop")
        kept = ("kind", "key", "tags", "metadata", "expires_at", "pinned")
        assert [getattr(new, name) for name in kept] == [getattr(old, name) for name in kept]
        assert new.entities == ("ANA", "npm", "the Web Shop")
        assert (new.relations, new.evidence, new.confidence) == ((), 1, 1.0)

    def test_details_override_what_would_be_kept(self, memory: Memory) -> None:
        """Everything that can be said of a fact can be said of its replacement."""
        old = memory.remember("x", tags=["a"], pinned=True, expires_at="1h")
        new = memory.facts.replace(
            old.id, "y", kind="event", tags=[], metadata={"b": 1}, expires_at=None, pinned=False
        )
        assert (new.kind, new.tags, new.metadata, new.pinned) == ("event", (), {"b": 1}, False)
        assert new.expires_at is None

    def test_the_same_words_replace_nothing(self, memory: Memory) -> None:
        """A verbatim replacement is no change."""
        old = memory.remember("Tea is served")
        with unchanged(memory):
            assert memory.facts.replace(old.id, "tea  IS served") == old

    def test_the_same_words_with_other_details_do(self, memory: Memory) -> None:
        """What the caller says of it is not dropped."""
        old = memory.remember("Tea is served")
        new = memory.facts.replace(old.id, "Tea is served", expires_at="1h", tags=["break"])
        assert (new.id != old.id, new.tags) == (True, ("break",))
        assert new.expires_at is not None
        assert texts(memory.facts.list()) == ["Tea is served"]

    def test_replacing_by_what_is_known_points_at_it(
        self, memory: Memory, clock: FakeClock
    ) -> None:
        """No twin is made; the known fact gains evidence and the link."""
        known, old = memory.remember("pnpm is used"), memory.remember("npm is used")
        clock.advance(days=1)
        new = memory.facts.replace(old.id, "PNPM is used")
        assert (new.id, new.evidence, new.supersedes) == (known.id, 2, (old.id,))
        assert memory.facts.get(old.id).superseded_by == known.id
        assert memory.facts.get(known.id) == new
        assert texts(memory.facts.list()) == ["pnpm is used"]

    def test_a_back_dated_replacement_ends_the_old_where_it_begins(self, memory: Memory) -> None:
        """The world before it is as it was."""
        old = memory.remember("v1 runs", valid_from="2026-01-01")
        new = memory.facts.replace(old.id, "v2 runs", valid_from="2026-02-01")
        assert memory.facts.get(old.id).valid_to == new.valid_from
        assert texts(memory.facts.list(as_of="2026-01-31")) == ["v1 runs"]
        assert texts(memory.facts.list(as_of="2026-02-01")) == ["v2 runs"]

    def test_no_interval_is_ever_reversed(self, memory: Memory) -> None:
        """Replaced from before it began, a fact keeps no valid time and no negative one."""
        old = memory.remember("v1 runs", valid_from="2026-02-01")
        new = memory.facts.replace(old.id, "v2 runs", valid_from="2026-01-01")
        ended = memory.facts.get(old.id)
        assert ended.valid_to == ended.valid_from
        for asked in ("2026-01-15", "2026-02-01", "2026-02-15"):
            assert texts(memory.facts.list(as_of=asked)) == ["v2 runs"]
        assert new.valid_from < ended.valid_from

    def test_a_chain_of_replacements_can_be_long(self, memory: Memory, clock: FakeClock) -> None:
        """Each link points at its neighbours, and one is live."""
        chain = [memory.remember("0")]
        for number in range(1, 20):
            clock.advance(minutes=1)
            chain.append(memory.facts.replace(chain[-1].id, str(number)))
        stored = [memory.facts.get(fact.id) for fact in chain]
        ids = [fact.id for fact in chain]
        assert [fact.superseded_by for fact in stored] == [*ids[1:], None]
        assert [fact.supersedes for fact in stored] == [(), *((id,) for id in ids[:-1])]
        assert texts(memory.facts.list()) == ["19"]


class RefusedReplacementContract(Contract):
    @pytest.mark.parametrize(
        ("new_text", "details", "error"),
        [
            ("x" * 100_001, {}, TooLargeError),
            ("", {}, InvalidInputError),
            (" \n", {}, InvalidInputError),
            ("a\0b", {}, InvalidInputError),
            ("a\ud800", {}, InvalidInputError),
            (None, {}, InvalidInputError),
            ("y", {"origin": "web"}, RefusedError),
            ("y", {"origin": "tool"}, RefusedError),
            ("y", {"origin": "document"}, RefusedError),
            ("known already", {"origin": "web"}, RefusedError),
            ("y", {"valid_from": "tomorrow"}, InvalidInputError),
            ("y", {"valid_from": "in 1 s"}, InvalidInputError),
            ("known already", {"valid_from": "tomorrow"}, InvalidInputError),
            ("y", {"kind": "rumour"}, InvalidInputError),
            ("y", {"expires_at": "soon"}, InvalidInputError),
            ("y", {"expires_at": "yesterday"}, InvalidInputError),
            ("y", {"tags": ["t"] * 51}, TooLargeError),
            ("y", {"reason": "r" * 2_001}, TooLargeError),
            ("y", {"reason": " "}, InvalidInputError),
            ("not yet", {}, ConflictError),
        ],
        ids=lambda case: str(case)[:30],
    )
    def test_a_refused_replacement_leaves_the_old_live(
        self, memory: Memory, new_text: Any, details: dict[str, Any], error: type[Exception]
    ) -> None:
        memory.remember("known already")
        memory.remember("not yet", valid_from="in 3 days")
        old = memory.remember("x", entities=["Ana"])
        with unchanged(memory), pytest.raises(error):
            memory.facts.replace(old.id, new_text, **details)
        assert memory.facts.get(old.id).retired_at is None

    def test_what_ended_cannot_be_replaced(self, memory: Memory) -> None:
        """An unknown, an ended and a deleted fact are refused."""
        old = memory.remember("x")
        memory.facts.replace(old.id, "y")
        with unchanged(memory), pytest.raises(ConflictError, match="ended already"):
            memory.facts.replace(old.id, "z")

    def test_a_fact_is_replaced_once(self, memory: Memory) -> None:
        old = memory.remember("x")
        first = memory.facts.replace(old.id, "y")
        with pytest.raises(ConflictError):
            memory.facts.replace(old.id, "z")
        assert texts(memory.facts.list()) == ["y"]
        assert memory.facts.get(old.id).superseded_by == first.id
