"""The facade in mem0's shape: mem0 itself as an oracle."""

from __future__ import annotations

import asyncio
from pathlib import Path
from random import Random
from typing import Any

import pytest

import erstwhile
from erstwhile import Memory
from erstwhile.integrations import mem0 as facade
from tests.frameworks.contract import Contract


class TestFacade(Contract):
    error = ValueError

    def write(self, memory: Memory, text: str) -> None:
        facade.Memory(memory=memory).add(text, user_id=memory.scope.user, infer=False)

    def read(self, memory: Memory, query: str) -> str:
        found = facade.Memory(memory=memory).search(query, filters={"user_id": memory.scope.user})
        return str([each["memory"] for each in found["results"]])

    async def awrite(self, memory: Memory, text: str) -> None:
        mem0 = facade.AsyncMemory(memory=memory)
        await mem0.add(text, user_id=memory.scope.user, infer=False)

    async def aread(self, memory: Memory, query: str) -> str:
        mem0 = facade.AsyncMemory(memory=memory)
        found = await mem0.search(query, filters={"user_id": memory.scope.user})
        return str([each["memory"] for each in found["results"]])


def test_users_of_one_memory_are_apart(everybody: Memory) -> None:
    mem0 = facade.Memory(memory=everybody)
    mem0.add("I live in Lisbon.", user_id="ana", run_id="1", metadata={"app": "shop"})

    def found(**filters: Any) -> list[str]:
        return [each["memory"] for each in mem0.search("Lisbon", filters=filters)["results"]]

    assert found(user_id="ana") == found(user_id="ana", run_id="1") == ["The user lives in Lisbon"]
    assert found(user_id="ana", app="shop") == found(user_id="ana", NOT=[{"app": "bank"}])
    assert found(user_id="ben") == found(user_id="ana", run_id="2") == found(agent_id="ana") == []


def test_facts_of_other_programs_belong_to_the_owner_of_their_scope(everybody: Memory) -> None:
    everybody.scoped(user="ana").remember("Ana likes tea")
    everybody.remember("The office closes at six")

    mem0 = facade.Memory(memory=everybody)
    [found] = mem0.get_all(filters={"user_id": "ana"})["results"]
    assert (found["memory"], found["user_id"]) == ("Ana likes tea", "ana")


def test_a_correction_has_a_history_and_keeps_its_id(everybody: Memory) -> None:
    mem0 = facade.Memory(memory=everybody)
    [added] = mem0.add("Tea at four", user_id="ana", infer=False)["results"]
    mem0.update(added["id"], "Tea at five")

    assert [each["memory"] for each in mem0.get_all(filters={"user_id": "ana"})["results"]] == [
        "Tea at five"
    ]
    item = mem0.get(added["id"])
    assert item is not None
    assert item["id"] == added["id"]
    changes = [(each["event"], each["old_memory"]) for each in mem0.history(added["id"])]
    assert changes == [("ADD", None), ("UPDATE", "Tea at four")]
    mem0.delete(added["id"])
    assert mem0.get(added["id"]) is None


@pytest.mark.parametrize(
    "call",
    [
        lambda m: m.add("tea"),
        lambda m: m.add(3, user_id="ana"),
        lambda m: m.search("tea"),
        lambda m: m.search(" ", filters={"user_id": "ana"}),
        lambda m: m.search("tea", user_id="ana"),
        lambda m: m.search("tea", filters={"user_id": "ana", "k": {"like": 1}}),
        lambda m: m.get_all(filters={"user_id": ""}),
        lambda m: m.get_all(filters={"user_id": "ana"}, top_k=-1),
        lambda m: m.delete("nothing"),
        lambda m: m.delete_all(),
        lambda m: m.update("nothing", "tea"),
    ],
)
def test_a_wrong_call_is_a_value_error_as_in_mem0(everybody: Memory, call: Any) -> None:
    mem0 = facade.Memory(memory=everybody)
    mem0.add("tea", user_id="ana", infer=False)
    with pytest.raises(ValueError, match=r"\w"):
        call(mem0)
    assert len(mem0.get_all(filters={"user_id": "ana"})["results"]) == 1


USERS = ["ana", "ben"]
FILTERS: list[dict[str, Any]] = [
    {},
    {"run_id": "1"},
    {"k": 1},
]


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return mem0's memory with an embedder and a model that do nothing."""
    monkeypatch.setenv("MEM0_TELEMETRY", "False")
    monkeypatch.setenv("MEM0_DIR", str(tmp_path))
    package = pytest.importorskip("mem0")
    from mem0.embeddings.mock import MockEmbeddings
    from mem0.memory import main

    monkeypatch.setattr(main.EmbedderFactory, "create", lambda *_: MockEmbeddings())
    monkeypatch.setattr(main.LlmFactory, "create", lambda *_: None)
    store = {"path": str(tmp_path / "qdrant"), "embedding_model_dims": 10, "collection_name": "c"}
    config = {
        "vector_store": {"provider": "qdrant", "config": store},
        "history_db_path": str(tmp_path / "history.db"),
    }
    return package.Memory.from_config(config)


def _step(memory: Any, random: Random, number: int, ids: list[str]) -> Any:
    """Do one random thing with a memory, and return what can be compared."""
    choice, user = random.random(), random.choice(USERS)
    at = random.randrange(len(ids)) if ids else None
    if choice < 0.4 or at is None:
        about = {"run_id": random.choice([None, "1", "2"]), "metadata": {"k": random.randint(0, 1)}}
        added = memory.add(f"Note {number}", user_id=user, infer=False, **about)
        ids += [each["id"] for each in added["results"]]
        return [(each["memory"], each["event"]) for each in added["results"]]
    try:
        if choice < 0.5:
            return memory.update(ids[at], f"Changed {number}")
        if choice < 0.55:
            return memory.update(ids[at], metadata={"k": 1})
        if choice < 0.65:
            return memory.delete(ids[at])
        if choice < 0.7:
            changes = memory.history(ids[at]) if memory.get(ids[at]) else []
            return [
                (each["event"], each["old_memory"], each["new_memory"])
                for each in changes
                if each["old_memory"] != each["new_memory"]
            ]
    except ValueError:
        return ValueError
    if choice < 0.75:
        return memory.delete_all(user_id=user)
    filters = {"user_id": user, **random.choice(FILTERS)}
    return sorted(map(str, map(_shown, memory.get_all(filters=filters)["results"])))


def _shown(item: dict[str, Any]) -> Any:
    fields = ("memory", "hash", "user_id", "run_id", "role", "metadata")
    return [(name, item[name]) for name in fields if item.get(name) is not None]


@pytest.mark.parametrize("start", range(0, 200, 50))
def test_the_facade_answers_as_mem0(start: int, own: Any) -> None:
    """Compare 200 random sequences of all that needs no search."""
    for seed in range(start, start + 50):
        with erstwhile.open(":memory:", embedder="none") as memory:
            memories: Any = (facade.Memory(memory=memory), own)
            ids = list[str](), list[str]()
            own.reset()
            for number in range(1, 9):
                ours, oracle = (
                    _step(each, Random(f"{seed} {number}"), number, known)
                    for each, known in zip(memories, ids, strict=True)
                )
                assert ours == oracle, (seed, number)


def test_all_verbs_are_asynchronous_too(everybody: Memory) -> None:
    async def used() -> Any:
        mem0 = facade.AsyncMemory(memory=everybody)
        [added] = (await mem0.add("Tea at four", user_id="ana", infer=False))["results"]
        await mem0.update(added["id"], text="Tea at five")
        item = await mem0.get(added["id"])
        await mem0.delete_all(user_id="ana")
        return item["memory"], (await mem0.get_all(filters={"user_id": "ana"}))["results"]

    assert asyncio.run(used()) == ("Tea at five", [])
