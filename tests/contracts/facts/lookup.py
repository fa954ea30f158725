"""Finding one fact by its id, or by an unambiguous beginning of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from erstwhile.core.errors import AmbiguousIdError, InvalidInputError, NotFoundError
from erstwhile.memory import Memory
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import Contract, input_check, unchanged

# Every method of `facts` that takes an id.
BY_ID: dict[str, Callable[[Memory, Any], Any]] = {
    "get": lambda memory, id: memory.facts.get(id),
    "history": lambda memory, id: memory.facts.history(id),
    "replace": lambda memory, id: memory.facts.replace(id, "new"),
    "retire": lambda memory, id: memory.facts.retire(id, "wrong"),
    "undo": lambda memory, id: memory.facts.undo(id),
    "move": lambda memory, id: memory.scoped(session="s").facts.move(id, to="session"),
    "confirm": lambda memory, id: memory.facts.confirm(id),
    "pin": lambda memory, id: memory.facts.pin(id),
    "unpin": lambda memory, id: memory.facts.unpin(id),
    "delete": lambda memory, id: memory.facts.delete(id),
    "restore": lambda memory, id: memory.facts.restore(id),
    "erase": lambda memory, id: memory.facts.erase(id),
}


class FindingContract(Contract):
    def test_an_id_or_its_beginning_finds_a_fact(self, memory: Memory, clock: FakeClock) -> None:
        fact = memory.remember("x")
        clock.advance(days=365)
        memory.remember("y")
        for given in (fact.id, fact.short_id, fact.id[:8], f" {fact.id.upper()}\n", fact.id[:20]):
            assert memory.facts.get(given) == fact

    @pytest.mark.parametrize("verb", BY_ID)
    def test_every_verb_takes_a_shortened_id(self, memory: Memory, verb: str) -> None:
        """What `get` finds, the others find too."""
        fact = memory.remember("x")
        if verb == "restore":
            memory.facts.delete(fact.id)
        if verb == "undo":
            memory.facts.retire(fact.id, "wrong")
        BY_ID[verb](memory, fact.short_id)
        assert memory.audit.list(subject=fact.short_id)[-1].subject == fact.id

    def test_short_ids_of_one_instant_differ(self, memory: Memory) -> None:
        """A list of facts can show them, and each finds its fact."""
        facts = memory.remember_many([str(number) for number in range(100)])
        assert len({fact.short_id for fact in facts}) == 100
        assert all(memory.facts.get(fact.short_id) == fact for fact in facts)

    @pytest.mark.parametrize("verb", BY_ID)
    def test_an_ambiguous_id_picks_none(self, memory: Memory, verb: str) -> None:
        """The error names what it could be."""
        facts = memory.remember_many(["1", "2", "3"])
        if verb in ("undo", "restore"):
            for fact in facts:
                act = memory.facts.delete if verb == "restore" else _retire(memory)
                act(fact.id)
        with unchanged(memory), pytest.raises(AmbiguousIdError) as caught:
            BY_ID[verb](memory, facts[0].id[:13])
        assert caught.value.candidates == tuple(fact.id for fact in facts)

    @input_check
    @pytest.mark.parametrize("verb", BY_ID)
    def test_what_is_no_id_picks_none(self, memory: Memory, verb: str) -> None:
        """Blank, wild or misshapen: refused, though only one fact is there."""
        fact = memory.remember("x")
        if verb == "restore":
            memory.facts.delete(fact.id)
        for given in ("", " ", "\n", "%", "_", "0%", "*", "x", "0" * 37, None, 5, b"01", ["0"]):
            with unchanged(memory), pytest.raises(InvalidInputError):
                BY_ID[verb](memory, given)

    @pytest.mark.parametrize("verb", BY_ID)
    def test_an_unknown_id_is_not_found(self, memory: Memory, verb: str) -> None:
        """An error that says so, and no other fact in its stead."""
        memory.remember("x")
        unknown = "0198c0de-0000-7000-8000-000000000000"
        with unchanged(memory), pytest.raises(NotFoundError, match=unknown):
            BY_ID[verb](memory, unknown)

    def test_an_id_is_never_found_inside_another(self, memory: Memory) -> None:
        """Only its beginning counts."""
        fact = memory.remember("x")
        for part in (fact.id[9:], fact.id[-4:], "-", "f" * 36):
            with pytest.raises(NotFoundError):
                memory.facts.get(part)


def _retire(memory: Memory) -> Callable[[str], Any]:
    return lambda id: memory.facts.retire(id, "wrong")
