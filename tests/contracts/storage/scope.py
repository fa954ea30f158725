"""Scope: the records that a viewer sees, and the records that it may change."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from erstwhile.core.errors import InvalidInputError, NotFoundError, ScopeError
from erstwhile.core.kinds import State
from erstwhile.core.scope import DIMENSIONS, Scope
from erstwhile.facts.fact import Fact
from erstwhile.memory import Memory
from tests.contracts.base import Contract, texts, unchanged
from tests.contracts.facts.lookup import BY_ID

CHANGES_BY_ID = sorted(set(BY_ID) - {"get", "history", "move"})
OWNERS = [
    {name: "x" for name, is_set in zip(DIMENSIONS, chosen, strict=True) if is_set}
    for chosen in product((False, True), repeat=4)
]
READERS = [
    {name: value for name, value in zip(DIMENSIONS, chosen, strict=True) if value}
    for chosen in product((None, "x", "y"), repeat=4)
]


class VisibilityContract(Contract):
    def test_a_record_is_visible_when_each_of_its_dimensions_is_the_reader_s(
        self, memory: Memory
    ) -> None:
        facts = {
            Scope(**owner): memory.scoped(**owner).remember(
                "said", key="k", entities=["Ana"], tags=["t"]
            )
            for owner in OWNERS
        }
        for reader in READERS:
            view = memory.scoped(**reader)
            visible = {fact.id for owner, fact in facts.items() if view.scope.sees(owner)}
            assert {fact.id for fact in view.facts.list(limit=100)} == visible
            assert view.facts.count(tag="t", entity="ana", key="k") == len(visible)
            assert view.stats().live == len(visible)
            assert {entry.subject for entry in view.audit.list(limit=100)} == visible
            assert [entity.mentions for entity in view.entities.list()] == [len(visible)]

    def test_leaving_out_the_user_never_shows_everybody_s(self, memory: Memory) -> None:
        """Isolation fails closed."""
        memory.scoped(user="ana").remember("ana's")
        memory.scoped(user="bob", project="shop").remember("bob's")
        memory.scoped(project="shop").remember("the shop's")
        memory.remember("everybody's")
        assert texts(memory.facts.list()) == ["everybody's"]
        assert texts(memory.scoped(project="shop").facts.list()) == ["everybody's", "the shop's"]
        assert texts(memory.scoped(agent="a").facts.list()) == ["everybody's"]

    @pytest.mark.parametrize(
        "other", ["Ana", "ana ", "an", "anaa", "%", "a%", "_na", "a\u0301na", "аna", "ana\u200b"]
    )
    def test_names_are_compared_exactly(self, memory: Memory, other: str) -> None:
        """Nobody gets in with a name that only looks alike, or with a pattern."""
        memory.scoped(user="ana").remember("ana's")
        try:
            reader = memory.scoped(user=other)
        except InvalidInputError:
            return
        assert reader.facts.count() == reader.stats().live == 0

    def test_dimensions_are_not_mixed_up(self, memory: Memory) -> None:
        """A project called like a user is not that user."""
        memory.scoped(user="ana").remember("ana's")
        for dimension in ("agent", "project", "session"):
            assert memory.scoped(**{dimension: "ana"}).facts.count() == 0

    def test_a_scope_can_be_narrowed_but_not_changed(self, memory: Memory) -> None:
        """What is set stays set."""
        ana = memory.scoped(user="ana")
        coder = ana.scoped(agent="coder")
        assert coder.scope == Scope(user="ana", agent="coder")
        assert ana.scoped(user="ana").scope == ana.scope
        for widened in ({"user": "bob"}, {"user": "bob", "agent": "x"}):
            with pytest.raises(ScopeError):
                coder.scoped(**widened)

    def test_an_administrator_sees_everything_and_says_so(self, memory: Memory) -> None:
        """It takes an explicit call, on a memory that has no scope."""
        ana = memory.scoped(user="ana")
        ana.remember("ana's")
        memory.scoped(session="s").remember("a session's")
        assert sorted(texts(memory.everything().facts.list())) == ["a session's", "ana's"]
        with pytest.raises(ScopeError):
            ana.everything()
        assert memory.everything().scoped(user="bob").facts.count() == 0

    def test_an_administrator_changes_but_does_not_remember(self, memory: Memory) -> None:
        """A new fact needs a scope; a changed one keeps its own."""
        ana = memory.scoped(user="ana")
        fact = ana.remember("x")
        everything = memory.everything()
        for remember in (
            lambda: everything.remember("y"),
            lambda: everything.remember_many(["y"]),
            lambda: everything.facts.set("k", "y"),
        ):
            with unchanged(memory), pytest.raises(ScopeError):
                remember()
        new = everything.facts.replace(fact.id, "y")
        assert new.scope == ana.scope
        assert texts(ana.facts.list()) == ["y"]
        assert memory.facts.count() == 0
        assert ana.audit.verify().ok

    def test_the_size_of_the_store_is_for_those_without_a_scope(self, memory: Memory) -> None:
        """It would tell how much the others remember."""
        assert memory.scoped(user="ana").stats().bytes is None
        assert (memory.stats().bytes or 0) > 0


class OwnershipContract(Contract):
    """Seeing is not owning: a shared record is changed from exactly its scope."""

    @pytest.fixture
    def shared(self, memory: Memory) -> dict[State, Fact]:
        live, retired, deleted = memory.remember_many(
            [{"text": name, "entities": ["Ana"]} for name in ("live", "retired", "deleted")]
        )
        return {
            State.LIVE: live,
            State.RETIRED: memory.facts.retire(retired.id, "wrong"),
            State.DELETED: memory.facts.delete(deleted.id),
        }

    @pytest.mark.parametrize("verb", CHANGES_BY_ID)
    def test_a_shared_fact_is_visible_but_not_changeable(
        self, memory: Memory, shared: dict[State, Fact], verb: str
    ) -> None:
        state = {"undo": State.RETIRED, "restore": State.DELETED}.get(verb, State.LIVE)
        asked: Any = {"deleted": True} if state is State.DELETED else {"state": state}
        for dimension in DIMENSIONS:
            narrower = memory.scoped(**{dimension: "x"})
            assert narrower.facts.list(**asked).items == (shared[state],)
            with unchanged(memory), pytest.raises(ScopeError, match="shared"):
                BY_ID[verb](narrower, shared[state].id)

    def test_purging_stays_in_exactly_its_scope(
        self, memory: Memory, shared: dict[State, Fact]
    ) -> None:
        ana = memory.scoped(user="ana")
        mine = ana.remember("mine")
        ana.facts.delete(mine.id)
        for dimension in ("agent", "project", "session"):
            narrower = ana.scoped(**{dimension: "x"})
            with unchanged(memory):
                assert narrower.facts.purge("0 days").facts == 0
            narrower.facts.delete(narrower.remember("theirs").id)
        assert ana.facts.purge("0 days").ids == (mine.id,)
        for dimension in ("agent", "project", "session"):
            assert ana.scoped(**{dimension: "x"}).facts.purge("0 days").facts == 1
        assert memory.everything().facts.purge("0 days").ids == (shared[State.DELETED].id,)

    def test_a_shared_entity_gets_no_alias_from_a_narrower_scope(
        self, memory: Memory, shared: dict[State, Fact]
    ) -> None:
        assert shared
        memory.entities.add_alias("Ana", "Annie")
        ana = memory.scoped(user="ana")
        with unchanged(memory), pytest.raises(NotFoundError):
            ana.entities.add_alias("Ana", "Mallory")
        with unchanged(memory), pytest.raises(NotFoundError):
            ana.entities.remove_alias("Ana", "Annie")
        assert ana.entities.get("Annie").entity.name == "Ana"

    def test_saying_the_shared_again_makes_a_fact_of_one_s_own(
        self, memory: Memory, shared: dict[State, Fact]
    ) -> None:
        memory.facts.set("city", "Rome")
        ana = memory.scoped(user="ana")
        with unchanged(memory.scoped(user="bob")):
            own = ana.remember("live")
            ana.facts.set("city", "Oslo")
        assert (own.id != shared[State.LIVE].id, own.scope) == (True, ana.scope)
        assert (memory.facts.value("city"), ana.facts.value("city")) == ("Rome", "Oslo")

    def test_a_wider_scope_does_not_reach_a_narrower_fact(self, memory: Memory) -> None:
        """The user's own memory does not change what belongs to one agent of theirs."""
        fact = memory.scoped(user="ana", agent="coder").remember("x")
        for wider in (memory, memory.scoped(user="ana"), memory.scoped(agent="coder")):
            with unchanged(memory), pytest.raises(NotFoundError):
                wider.facts.delete(fact.id)
