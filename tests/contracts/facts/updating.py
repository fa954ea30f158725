"""`facts.update`, keys in `history` and `forget`, filters by metadata, and what a view sees."""

from __future__ import annotations

from typing import Any

import pytest

from erstwhile import ConflictError, InvalidInputError, Memory, NotFoundError, RefusedError, Scope
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import Contract, input_check, unchanged


class UpdatingContract(Contract):
    def test_kind_tags_and_metadata_change_in_place(self, memory: Memory, clock: FakeClock) -> None:
        """The id stays, and every earlier state is answered as before."""
        made = memory.remember("Ana uses Zed", tags=["Editor", "work"], metadata={"ticket": 1})
        before = clock.now()
        clock.advance(days=1)
        new = memory.facts.update(
            made.id, kind="preference", tags=["tools", "work"], metadata={"ticket": 2}, reason="why"
        )
        assert (new.id, new.kind, new.tags, new.metadata) == (
            made.id, "preference", ("tools", "work"), {"ticket": 2},
        )  # fmt: skip
        assert memory.facts.get(made.id) == new
        for tag, count in (("editor", 0), ("tools", 1), ("work", 1)):
            assert memory.facts.count(tag=tag) == count
            assert len(memory.recall("Zed", tag=tag)) == count
        assert memory.facts.count(kind="preference") == 1
        [was] = memory.facts.list(known_at=before, tag="editor", kind="fact")
        assert (was.tags, was.metadata) == (("Editor", "work"), {"ticket": 1})
        assert memory.facts.count(known_at=before, tag="tools") == 0
        change = memory.facts.history(made.id)[-1]
        assert (change.action, change.reason, change.fact) == ("update", "why", new)
        assert memory.audit.verify().ok

    def test_an_update_can_be_undone_once(self, memory: Memory) -> None:
        made = memory.remember("Ana uses Zed", tags=["editor"])
        memory.facts.update(made.id, tags=[], kind="state")
        back = memory.facts.undo(made.id)
        assert (back.tags, back.kind) == (("editor",), "fact")
        assert memory.facts.count(tag="editor") == 1
        with unchanged(memory), pytest.raises(ConflictError, match="has not ended"):
            memory.facts.undo(made.id)

    def test_an_update_never_makes_a_duplicate(self, memory: Memory) -> None:
        memory.remember("Ana uses Zed", kind="preference")
        made = memory.remember("Ana uses Zed")
        with unchanged(memory), pytest.raises(ConflictError):
            memory.facts.update(made.id, kind="preference")

    def test_only_a_person_updates_and_the_mark_of_a_held_fact_stays(self, memory: Memory) -> None:
        """An agent could turn a fact into an instruction, or change what an approval does."""
        agent = memory.acting_as("bot", person=False)
        made = agent.remember("Ana uses Zed")
        with unchanged(memory), pytest.raises(RefusedError, match="only a person"):
            agent.facts.update(made.id, kind="instruction")
        held = agent.remember("Always answer in French", kind="instruction")
        mark = {"held": {"rule": "x", "reason": "y", "proposed": {"key": "a"}}}
        changed = memory.facts.update(held.id, metadata={**mark, "ticket": 1})
        assert changed.metadata == {**held.metadata, "ticket": 1}
        updated = memory.facts.update(made.id, metadata={**mark, "ticket": 1})
        assert updated.metadata == {"ticket": 1}

    @input_check
    def test_an_empty_update_is_refused(self, memory: Memory) -> None:
        made = memory.remember("Ana uses Zed", tags=["editor"])
        with unchanged(memory):
            with pytest.raises(InvalidInputError, match="no change is given"):
                memory.facts.update(made.id)
            with pytest.raises(ConflictError, match="already has these labels"):
                memory.facts.update(made.id, tags=["editor"])
            with pytest.raises(InvalidInputError):
                memory.facts.update(made.id, kind="opinion")

    def test_history_and_forget_take_a_key_in_any_letter_case(self, memory: Memory) -> None:
        """`facts history city` was "not an id"; `k2` and `K2` are one key."""
        for city in ("Lisbon", "Porto"):
            memory.facts.set("City", city)
        assert [each.fact.text for each in memory.facts.history("city")] == [
            "Lisbon", "Lisbon", "Porto",
        ]  # fmt: skip
        assert memory.facts.forget(key="CITY").text == "Porto"
        assert memory.facts.value("city") is None
        with pytest.raises(NotFoundError, match="no value"):
            memory.facts.forget(key="city")
        with pytest.raises(NotFoundError, match="'town' has no value"):
            memory.facts.history("town")
        with pytest.raises(NotFoundError, match="no fact"):
            memory.facts.history("0198c0de")
        for given in ({}, {"text": "Lisbon", "key": "city"}):
            with pytest.raises(InvalidInputError, match="a text or a key"):
                memory.facts.forget(**given)


class MetadataContract(Contract):
    def test_facts_are_filtered_by_metadata(self, memory: Memory) -> None:
        """Within the search: the one that fits is found behind many that match better."""
        memory.remember_many([f"Zed is the editor number {each}" for each in range(60)])
        wanted: dict[str, Any] = {"ticket": 42, "open": True, "by": "Ana", "none": None, "x": 1.5}
        memory.remember("Much later the new Zed came", metadata={**wanted, "more": [1]})
        memory.remember("Another Zed", metadata={"ticket": "42", "open": 1, "by": "ana", "x": 2})
        for name, value in wanted.items():
            found = memory.recall("which editor is Zed?", limit=1, metadata={name: value})
            assert [hit.fact.text for hit in found] == ["Much later the new Zed came"], name
            assert memory.facts.count(metadata={name: value}) == 1
        assert memory.facts.count(metadata=wanted) == 1
        assert memory.facts.count(metadata={"ticket": 42, "by": "Ben"}) == 0

    @input_check
    @pytest.mark.parametrize("wrong", [{}, {"a": [1]}, {"a": {}}, [], "a", {1: 2}])
    def test_an_empty_filter_never_means_everything(self, memory: Memory, wrong: Any) -> None:
        for verb in (memory.facts.list, memory.facts.count):
            with pytest.raises(InvalidInputError, match="metadata"):
                verb(metadata=wrong)


class SeenContract(Contract):
    def test_a_view_lists_the_scopes_users_and_tags_that_it_sees(self, memory: Memory) -> None:
        ana, ben = memory.scoped(user="ana"), memory.scoped(user="ben", project="shop")
        memory.remember("Everyone likes tea", tags=["Tea"])
        ana.remember("Ana likes tea", tags=["tea", "Drinks"])
        ben.facts.retire(ben.remember("Ben likes tea").id, "wrong")
        assert [(each.scope, each.facts) for each in ana.scopes()] == [
            (Scope(), 1), (Scope(user="ana"), 1),
        ]  # fmt: skip
        assert (ana.users(), ana.tags()) == ({"ana": 1}, {"Drinks": 1, "Tea": 2})
        assert (memory.users(), memory.tags()) == ({}, {"Tea": 1})
        everything = memory.everything()
        assert (everything.users(), len(everything.scopes())) == ({"ana": 1, "ben": 0}, 3)

    def test_a_search_in_an_empty_scope_says_which_and_nothing_of_others(
        self, memory: Memory
    ) -> None:
        memory.scoped(user="ana").remember("Ana likes tea")
        for view, name in ((memory, "shared"), (memory.scoped(user="ben"), "user=ben")):
            found = view.recall("tea")
            assert found.trace.notices[-1] == f"nothing to search is stored for {name}"
