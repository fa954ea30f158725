"""Finding one fact by its id, or by an unambiguous beginning of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from erstwhile.core.errors import (
    AmbiguousIdError,
    AmbiguousTextError,
    InvalidInputError,
    NotFoundError,
    RefusedError,
    ScopeError,
)
from erstwhile.facts.fact import Fact
from erstwhile.memory import Memory
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import Contract, input_check, remember_in_parts, texts, unchanged

# Every method of `facts` that takes an id.
BY_ID: dict[str, Callable[[Memory, Any], Any]] = {
    "get": lambda memory, id: memory.facts.get(id),
    "history": lambda memory, id: memory.facts.history(id),
    "replace": lambda memory, id: memory.facts.replace(id, "new"),
    "update": lambda memory, id: memory.facts.update(id, tags=["new"]),
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
        facts = memory.remember_many([str(number) for number in range(100)])
        assert len({fact.short_id for fact in facts}) == 100
        assert all(memory.facts.get(fact.short_id) == fact for fact in facts)

    @pytest.mark.parametrize("verb", BY_ID)
    def test_an_ambiguous_id_picks_none(self, memory: Memory, verb: str) -> None:
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
        """Blank, wild or misshapen: refused or not found, though only one fact is there."""
        fact = memory.remember("x")
        if verb == "restore":
            memory.facts.delete(fact.id)
        for given in ("", " ", "\n", None, 5, b"01", ["0"]):
            with unchanged(memory), pytest.raises(InvalidInputError):
                BY_ID[verb](memory, given)
        for given in ("%", "_", "0%", "*", "x", "0" * 37):
            with unchanged(memory), pytest.raises(NotFoundError):
                BY_ID[verb](memory, given)

    @pytest.mark.parametrize("verb", BY_ID)
    def test_an_unknown_id_is_not_found(self, memory: Memory, verb: str) -> None:
        """An error that says so, and no other fact in its stead."""
        memory.remember("x")
        unknown = "0198c0de-0000-7000-8000-000000000000"
        with unchanged(memory), pytest.raises(NotFoundError, match=unknown):
            BY_ID[verb](memory, unknown)

    def test_an_id_is_never_found_inside_another(self, memory: Memory) -> None:
        fact = memory.remember("x")
        for part in (fact.id[9:], fact.id[-4:], "-", "f" * 36):
            with pytest.raises(NotFoundError):
                memory.facts.get(part)


def _retire(memory: Memory) -> Callable[[str], Any]:
    return lambda id: memory.facts.retire(id, "wrong")


# Every verb of `facts` that takes a text to find.
BY_TEXT: dict[str, Callable[[Memory, Any], Fact]] = {
    "find": lambda memory, text: memory.facts.find(text),
    "replace_text": lambda memory, text: memory.facts.replace_text(text, "new"),
    "forget": lambda memory, text: memory.facts.forget(text),
}


class ByTextContract(Contract):
    @pytest.mark.parametrize(
        ("asked", "found"),
        [
            ("Ana drinks tea", "Ana drinks tea"),
            ("ana drinks tea", "Ana drinks tea"),
            ("Ana drinks tea, ", "ana drinks TEA, daily"),
            (" ANA  DRINKS\ncoffee ", "Ana drinks coffee"),
            ("Ａna drinks ｃoffee", "Ana drinks coffee"),
            ("ana drinks coff", None),
            ("Bob", "Bob lives in Straße 1"),
            ("STRASSE", "Bob lives in Straße 1"),
            ("rink", None),
            ("daily", "ana drinks TEA, daily"),
            ("喜欢喝茶", "安娜喜欢喝茶。"),
            ("茶", "安娜喜欢喝茶。"),
            ("50%", "He wrote 50%_done \\ today"),
            ("50%_done \\", "He wrote 50%_done \\ today"),
            ("5_%", None),
        ],
    )
    def test_text_finds_nearest_fact(self, memory: Memory, asked: str, found: str | None) -> None:
        memory.remember_many(
            [
                "Ana drinks tea",
                "ana drinks TEA, daily",
                "Ana drinks coffee",
                "Bob lives in Straße 1",
                "安娜喜欢喝茶。",
                "He wrote 50%_done \\ today",
            ]
        )
        if found is None:
            with pytest.raises(NotFoundError):
                memory.facts.find(asked)
        else:
            assert memory.facts.find(asked).text == found

    @pytest.mark.parametrize("verb", BY_TEXT)
    def test_an_ambiguous_text_picks_none(self, memory: Memory, verb: str) -> None:
        one = memory.remember("Ana drinks tea in the morning")
        two = memory.remember("Ana drinks tea at night")
        memory.remember("Bob is Ana drinks tea's author")
        with unchanged(memory), pytest.raises(AmbiguousTextError) as caught:
            BY_TEXT[verb](memory, "ana drinks tea")
        assert caught.value.candidates == (two.id, one.id)
        assert one.id in str(caught.value)

    @pytest.mark.parametrize("verb", BY_TEXT)
    def test_a_text_that_no_fact_has_is_not_found(self, memory: Memory, verb: str) -> None:
        memory.facts.delete(memory.remember("deleted tea").id)
        memory.facts.retire(memory.remember("retired tea").id, "wrong")
        memory.remember("rumoured tea", origin="web")
        with unchanged(memory), pytest.raises(NotFoundError):
            BY_TEXT[verb](memory, "tea")

    @input_check
    @pytest.mark.parametrize("verb", BY_TEXT)
    def test_what_is_no_text_picks_none(self, memory: Memory, verb: str) -> None:
        memory.remember("x")
        for given in ("", " ", "\n", "\0", None, 5, b"x", "x" * 100_001):
            with unchanged(memory), pytest.raises(InvalidInputError):
                BY_TEXT[verb](memory, given)

    def test_another_state_is_found_if_asked_for(self, memory: Memory) -> None:
        fact = memory.remember("rumoured tea", origin="web")
        assert memory.facts.find("rumoured TEA", state="quarantined") == fact
        assert memory.facts.forget("rumoured TEA", state="any").id == fact.id
        assert memory.facts.count(state="any") == 0

    def test_a_fact_among_many_is_found(self, memory: Memory) -> None:
        wanted = memory.remember("Bob likes the sea")
        remember_in_parts(memory, (f"Bob likes the season {number}" for number in range(1_100)))
        assert memory.facts.find("likes the sea") == wanted

    def test_a_long_text_and_a_secret_are_found(self, memory: Memory) -> None:
        facts = [memory.remember("word " * 5_000 + end) for end in ("a", "b")]
        assert memory.facts.find("word " * 5_000 + "B") == facts[1]
        said = "The key is AKIAIOSFODNN7EXAMPLE"
        assert memory.remember(said) == memory.facts.find(said)

    def test_facts_are_forgotten_and_replaced_by_text(
        self, memory: Memory, clock: FakeClock
    ) -> None:
        fact = memory.remember("Ana uses npm")
        gone = memory.facts.forget("ana uses", reason="private")
        assert (gone.id, memory.facts.count(state="any")) == (fact.id, 0)
        assert memory.audit.list(subject=fact.id)[0].reason == "private"
        memory.facts.restore(fact.id)
        assert texts(memory.facts.list()) == ["Ana uses npm"]
        old = memory.remember("Ana uses npm", tags=["t"])
        clock.advance(days=1)
        new = memory.facts.replace_text("uses NPM", "Ana uses pnpm", reason="she said so")
        assert (new.text, new.supersedes, new.tags) == ("Ana uses pnpm", (old.id,), ("t",))
        steps = [(step.action, step.reason) for step in memory.facts.history(new.id)]
        assert ("supersede", "she said so") in steps
        memory.remember("Ana uses npm")
        with unchanged(memory), pytest.raises(RefusedError):
            memory.facts.replace_text("npm", "Ana uses pnpm", origin="web")

    def test_the_own_fact_goes_before_a_shared_one(self, memory: Memory) -> None:
        ana, bob = memory.scoped(user="ana"), memory.scoped(user="bob")
        memory.remember("The shop sells tea")
        own = ana.remember("the shop sells tea")
        assert ana.facts.find("the shop sells TEA").id == own.id
        ana.facts.forget("shop sells")
        with unchanged(memory):
            for verb in ("replace_text", "forget"):
                with pytest.raises(ScopeError):
                    BY_TEXT[verb](ana, "shop sells")
        bob.remember("Bob hides a bottle")
        with pytest.raises(NotFoundError):
            ana.facts.find("Bob hides a bottle")

    def test_everything_finds_in_all_scopes(self, memory: Memory) -> None:
        facts = [memory.scoped(user=name).remember("tea") for name in ("ana", "bob")]
        with pytest.raises(AmbiguousTextError) as caught:
            memory.everything().facts.find("tea")
        assert set(caught.value.candidates) == {fact.id for fact in facts}
