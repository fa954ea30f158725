"""Entities and their links, which follow their facts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from erstwhile.core.errors import ConflictError, InvalidInputError, NotFoundError
from erstwhile.facts.entities import CO_OCCURS, Entity
from erstwhile.memory import Memory
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import Contract, paged, texts, unchanged


def links(memory: Memory, name: str, **asked: Any) -> list[tuple[str, str, bool]]:
    """Return the neighbours of an entity as (relation, name, outgoing)."""
    card = memory.entities.get(name, **asked)
    return [(each.relation, each.name, each.outgoing) for each in card.neighbours]


def names(memory: Memory, **asked: Any) -> list[str]:
    return [entity.name for entity in memory.entities.list(**asked)]


class EntitiesContract(Contract):
    def test_entities_are_found_or_made_by_their_folded_name(self, memory: Memory) -> None:
        memory.remember("1", entities=["New York City"])
        memory.remember("2", entities=["new  york CITY"])
        memory.remember("3", entities=["ＮＥＷ York City", "NEW YORK CITY"])
        assert memory.entities.list().items == (
            Entity(name="New York City", aliases=(), mentions=3),
        )
        assert len(memory.entities.get("new york city").facts) == 3

    def test_a_name_is_not_found_by_a_part_of_it(self, memory: Memory) -> None:
        memory.remember("x", entities=["New York City", "Jean-Luc"])
        for part in ("New York", "York", "Jean", "Luc", "%", "_ean-Luc"):
            with pytest.raises(NotFoundError):
                memory.entities.get(part)
            assert memory.facts.count(entity=part) == 0
        assert memory.entities.get("jean-luc").entity.name == "Jean-Luc"

    def test_a_card_shows_the_newest_facts_first(self, memory: Memory) -> None:
        memory.remember_many([{"text": str(n), "entities": ["Ana"]} for n in range(5)])
        card = memory.entities.get("Ana", limit=2)
        assert (texts(card.facts), card.entity.mentions) == (["4", "3"], 5)

    def test_entities_are_listed_by_name_in_pages(self, memory: Memory) -> None:
        memory.remember("x", entities=["Zoe", "ana", "Bob", "Éva", "Übung"])
        whole = names(memory)
        assert whole[:3] == ["ana", "Bob", "Zoe"]
        assert [entity.name for entity in paged(memory.entities.list)] == whole

    def test_relations_are_typed_and_have_a_direction(self, memory: Memory) -> None:
        fact = memory.remember("x", relations=[("Ana", "Works At", "the Shop")])
        assert links(memory, "ana") == [("works at", "the Shop", True)]
        assert links(memory, "the shop") == [("works at", "Ana", False)]
        assert memory.entities.get("Ana").neighbours[0].facts == (fact.id,)

    def test_two_relations_between_one_pair_coexist(self, memory: Memory) -> None:
        memory.remember("1", relations=[("Ana", "manages", "Bob")])
        memory.remember("2", relations=[("Ana", "likes", "Bob"), ("Bob", "likes", "Ana")])
        memory.remember("1", relations=[("Ana", "manages", "Bob")])
        assert sorted(links(memory, "Ana")) == [
            ("likes", "Bob", False), ("likes", "Bob", True), ("manages", "Bob", True),
        ]  # fmt: skip

    def test_what_is_mentioned_together_is_linked(self, memory: Memory) -> None:
        memory.remember("1", entities=["Ana", "tea"])
        memory.remember("2", entities=["Ana", "Bob"])
        memory.remember("3", entities=["Ana", "Bob", "tea", "milk"])
        memory.remember("4", entities=["Ana", "Bob"])
        memory.remember("5", relations=[("Ana", "owns", "a cat")])
        assert links(memory, "Ana") == [
            ("owns", "a cat", True), (CO_OCCURS, "Bob", True), (CO_OCCURS, "tea", True),
            (CO_OCCURS, "milk", True),
        ]  # fmt: skip

    def test_an_unknown_entity_is_not_found(self, memory: Memory) -> None:
        memory.remember("1", entities=["Mallory"], origin="web")
        memory.remember("2", entities=["Zoe"], valid_from="in 3 days")
        for name in ("nobody", "Mallory", "Zoe"):
            with pytest.raises(NotFoundError):
                memory.entities.get(name)


Ending = Callable[[Memory, str], Any]
ENDINGS: dict[str, tuple[Ending, Ending | None]] = {
    "wrong": (lambda m, id: m.facts.retire(id, "wrong"), lambda m, id: m.facts.undo(id)),
    "superseded": (lambda m, id: m.facts.retire(id, "superseded"), lambda m, id: m.facts.undo(id)),
    "replaced": (lambda m, id: m.facts.replace(id, "nothing"), lambda m, id: m.facts.undo(id)),
    "deleted": (lambda m, id: m.facts.delete(id), lambda m, id: m.facts.restore(id)),
    "erased": (lambda m, id: m.facts.erase(id), None),
}


class EdgesContract(Contract):
    @pytest.mark.parametrize("ending", ENDINGS)
    def test_edges_end_with_their_fact(self, memory: Memory, clock: FakeClock, ending: str) -> None:
        end, back = ENDINGS[ending]
        memory.remember("Ana is here", entities=["Ana"])
        fact = memory.remember(
            "Ana runs the Shop in Rome", entities=["Rome"], relations=[("Ana", "runs", "the Shop")]
        )
        clock.advance(days=1)
        before = [(name, links(memory, name)) for name in names(memory)]
        assert len(before) == 3
        end(memory, fact.id)
        assert (names(memory), links(memory, "Ana")) == (["Ana"], [])
        for gone in ("Rome", "the Shop"):
            assert memory.facts.count(entity=gone) == 0
            with pytest.raises(NotFoundError):
                memory.entities.get(gone)
        if back:
            back(memory, fact.id)
            assert [(name, links(memory, name)) for name in names(memory)] == before

    def test_an_edge_is_as_bi_temporal_as_its_fact(self, memory: Memory, clock: FakeClock) -> None:
        old = memory.remember("1", relations=[("Ana", "works at", "the Mill")])
        clock.advance(days=1)
        memory.facts.replace(old.id, "2", relations=[("Ana", "works at", "the Shop")])
        assert links(memory, "Ana") == [("works at", "the Shop", True)]
        assert links(memory, "Ana", as_of=old.valid_from) == [("works at", "the Mill", True)]
        assert links(memory, "Ana", known_at=old.recorded_at) == [("works at", "the Mill", True)]
        assert names(memory, known_at=old.recorded_at) == ["Ana", "the Mill"]

    def test_an_edge_said_later_is_known_later(self, memory: Memory, clock: FakeClock) -> None:
        first = memory.remember("x", entities=["Ana"])
        clock.advance(days=1)
        memory.remember("x", entities=["Bob"], relations=[("Ana", "knows", "Bob")])
        assert links(memory, "Ana") == [("knows", "Bob", True)]
        assert links(memory, "Ana", known_at=first.recorded_at) == []
        assert names(memory, known_at=first.recorded_at) == ["Ana"]

    def test_two_facts_carry_one_edge(self, memory: Memory) -> None:
        one = memory.remember("1", relations=[("Ana", "knows", "Bob")])
        two = memory.remember("2", relations=[("Ana", "knows", "Bob")])
        assert memory.entities.get("Ana").neighbours[0].facts == (two.id, one.id)
        memory.facts.retire(two.id, "wrong")
        assert memory.entities.get("Ana").neighbours[0].facts == (one.id,)


class AliasesContract(Contract):
    @pytest.fixture(autouse=True)
    def known(self, memory: Memory) -> None:
        memory.remember("Ana drinks tea", entities=["Ana Pérez"])
        memory.remember("Bob drinks milk", entities=["Bob"])

    def test_an_alias_finds_the_entity(self, memory: Memory) -> None:
        memory.entities.add_alias("ana pérez", "Ana", "La Pérez", reason="same person")
        memory.remember("Ana sleeps", entities=["ANA"])
        card = memory.entities.get("la pérez")
        assert card.entity == Entity(name="Ana Pérez", aliases=("Ana", "La Pérez"), mentions=2)
        assert memory.facts.count(entity="ana") == 2
        assert names(memory) == ["Ana Pérez", "Bob"]

    def test_a_taken_name_and_an_unknown_entity_are_refused(self, memory: Memory) -> None:
        with unchanged(memory), pytest.raises(ConflictError):
            memory.entities.add_alias("Ana Pérez", "Ana", "BOB")
        memory.entities.add_alias("Ana Pérez", "Ana")
        with unchanged(memory), pytest.raises(ConflictError):
            memory.entities.add_alias("Bob", "ana")
        with unchanged(memory), pytest.raises(NotFoundError):
            memory.entities.add_alias("nobody", "Noone")
        for blank in ("", " "):
            with unchanged(memory), pytest.raises(InvalidInputError):
                memory.entities.add_alias("Ana Pérez", blank)

    def test_an_alias_is_added_once_and_can_be_removed(self, memory: Memory) -> None:
        memory.entities.add_alias("Ana Pérez", "Ana")
        with unchanged(memory):
            memory.entities.add_alias("Ana", "ANA", "ana pérez")
        memory.entities.add_alias("Bob", "Bobby")
        for name in ("Ana Pérez", "ANA PÉREZ", "nobody", "Bobby"):
            with unchanged(memory), pytest.raises(NotFoundError):
                memory.entities.remove_alias("Ana Pérez", name)
        memory.entities.add_alias("Ana Pérez", "Ana")
        memory.entities.remove_alias("Ana Pérez", "ana")
        assert memory.facts.count(entity="Ana") == 0
        memory.entities.add_alias("Bob", "Ana")
        assert memory.entities.get("Ana").entity.name == "Bob"

    def test_aliases_are_on_the_trail(self, memory: Memory) -> None:
        memory.entities.add_alias("Ana Pérez", "Ana", reason="same person")
        memory.entities.remove_alias("Ana Pérez", "Ana", reason="not the same")
        removed, given = memory.audit.list(limit=2)
        assert (given.action, given.reason) == ("alias", "same person")
        assert (removed.action, removed.reason) == ("unalias", "not the same")
        assert given.subject == removed.subject
        assert memory.audit.verify().ok
