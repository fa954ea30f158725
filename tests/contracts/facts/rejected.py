"""What a person took back is not said again by an agent, nor by a source from outside."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from erstwhile.core.errors import RefusedError
from erstwhile.memory import Memory
from tests.contracts.base import Contract, unchanged
from tests.contracts.storage.standing import agent_of

SAID = "Ana keeps the spare key under the blue pot"
CLOSE = "Ana always keeps her spare key under a blue pot"
WAYS: dict[str, Callable[[Memory, str], object]] = {
    "retired as wrong": lambda memory, id: memory.facts.retire(id, "wrong"),
    "deleted": lambda memory, id: memory.facts.delete(id),
    "forgotten": lambda memory, _: memory.facts.forget(SAID),
    "deleted after it was wrong": lambda memory, id: (
        memory.facts.retire(id, "wrong"),
        memory.facts.delete(id),
    ),
}
BACK: dict[str, Callable[[Memory, str], object]] = {
    "retired as wrong": lambda memory, id: memory.facts.undo(id),
    "deleted": lambda memory, id: memory.facts.restore(id),
}


class RejectedContract(Contract):
    @pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
    def test_an_agent_does_not_say_it_again(
        self, memory: Memory, way: Callable[[Memory, str], object]
    ) -> None:
        """Neither in close words, nor in the place of another fact, nor in a narrower scope."""
        ana = memory.scoped(user="ana")
        agent = agent_of(ana)
        said, other = ana.remember(SAID, key="spare key"), ana.remember("Ana has a garden")
        way(ana, said.id)
        ways: list[Callable[[], object]] = [
            lambda: agent.remember(SAID, key="spare key"),
            lambda: agent.remember(CLOSE),
            lambda: agent.remember_many(["Ana likes tea", CLOSE]),
            lambda: agent.facts.set("where the key is", CLOSE),
            lambda: agent.facts.replace(other.id, CLOSE),
            lambda: agent.scoped(session="s").remember(CLOSE),
            lambda: ana.remember(CLOSE, origin="agent"),
        ]
        with unchanged(memory):
            for again in ways:
                with pytest.raises(RefusedError, match=said.short_id) as refusal:
                    again()
                assert "person" in refusal.value.remedy
            assert ana.remember(CLOSE, origin="web").id == said.id
        assert ana.remember(CLOSE).origin == "person"

    @pytest.mark.parametrize("way", BACK)
    def test_it_may_when_a_person_changed_their_mind(self, memory: Memory, way: str) -> None:
        said = memory.remember(SAID)
        WAYS[way](memory, said.id)
        BACK[way](memory, said.id)
        agent = agent_of(memory)
        assert agent.remember(SAID).id == said.id
        assert agent.remember(CLOSE).origin == "agent"

    def test_what_an_agent_said_and_a_person_undid_stays_undone(self, memory: Memory) -> None:
        old, agent = memory.remember("Ana has a red car"), agent_of(memory)
        agent.facts.replace(old.id, SAID)
        memory.facts.undo(old.id)
        with unchanged(memory), pytest.raises(RefusedError):
            agent.remember(CLOSE)

    def test_what_only_changed_may_come_back(self, memory: Memory) -> None:
        """A value that was true once can be true again."""
        agent = agent_of(memory)
        memory.facts.replace(memory.remember(SAID).id, "Ana gave the spare key to Bob")
        assert agent.remember(CLOSE).retired_at is None

    def test_what_an_agent_took_back_itself_it_may_say_again(self, memory: Memory) -> None:
        """And however much it takes back, it does not push out what a person rejected."""
        agent = agent_of(memory)
        said = memory.remember(SAID)
        memory.facts.delete(said.id)
        for ending in ("wrong", "superseded"):
            agent.facts.retire(agent.remember("Bob has a dog").id, ending)
        agent.facts.delete(agent.remember("Bob has a dog").id)
        assert agent.remember("Bob has a dog").retired_at is None
        with unchanged(memory), pytest.raises(RefusedError):
            agent.remember(CLOSE)

    def test_another_user_decides_for_themselves(self, memory: Memory) -> None:
        ana, bob = memory.scoped(user="ana"), memory.scoped(user="bob")
        ana.facts.delete(ana.remember(SAID).id)
        assert agent_of(bob).remember(SAID).origin == "agent"
        assert agent_of(memory).remember(SAID).origin == "agent"

    def test_a_value_is_rejected_with_its_key(self, memory: Memory) -> None:
        """The same word under another key is another statement."""
        agent = agent_of(memory)
        memory.facts.delete(memory.facts.set("birthplace", "Lisbon").id)
        assert agent.facts.set("home", "Lisbon").text == "Lisbon"
        with unchanged(memory), pytest.raises(RefusedError):
            agent.facts.set("birthplace", "Lisbon")

    def test_a_return_to_a_snapshot_rejects_nothing(self, memory: Memory) -> None:
        """It says what was known then, not what is wrong."""
        agent = agent_of(memory)
        memory.snapshots.create("before")
        agent.remember(SAID)
        memory.snapshots.restore("before")
        assert agent.remember(SAID).retired_at is None

    def test_an_agent_does_not_take_back_a_return_to_a_snapshot(self, memory: Memory) -> None:
        agent = agent_of(memory)
        memory.snapshots.create("before")
        said = agent.remember(SAID)
        agent.facts.retire(said.id, "superseded")
        memory.snapshots.restore("before")
        with unchanged(memory), pytest.raises(RefusedError):
            agent.facts.undo(said.id)
