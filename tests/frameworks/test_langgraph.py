"""LangGraph: its suite for checkpointers, its own store as an oracle, and LangMem's tools."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from operator import add
from random import Random
from typing import Annotated, Any, TypedDict

import pytest

import erstwhile
from erstwhile import Memory

pytest.importorskip("langgraph")

from langgraph.graph import END, START, StateGraph
from langgraph.store.base import (
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    SearchOp,
)
from langgraph.store.memory import InMemoryStore

from erstwhile.core.errors import ErstwhileError
from erstwhile.integrations.langgraph import ErstwhileSaver, ErstwhileStore
from tests.frameworks.contract import Contract

NAMESPACES = [("a",), ("a", "b"), ("a_", "b"), ("A",), ("a", "b", "c"), ("x%", "y")]
KEYS = ["k", "K", "k2", "ü", "long " * 60]
DEEP = {"x": [1, None, True, 1.5]}
FILTERS: list[dict[str, Any]] = [{"n": 1}, {"n": {"$gt": 1}}, {"deep": DEEP}]


def _operation(random: Random) -> Op:
    namespace, key = random.choice(NAMESPACES), random.choice(KEYS)
    text = random.choice(["hello", "Ana likes tea", "two words"])
    value = {"text": text, "n": random.randint(0, 3), "deep": DEEP}
    below = namespace[: random.randint(0, 2)]
    ends = MatchCondition("suffix", ("b",))
    return random.choice(
        [
            GetOp(namespace, key),
            PutOp(namespace, key, value),
            PutOp(namespace, key, value, index=False),
            PutOp(namespace, key, None),
            SearchOp(below, limit=100),
            SearchOp(below, filter=random.choice(FILTERS), limit=100),
            ListNamespacesOp(match_conditions=(MatchCondition("prefix", ("a", "*")),)),
            ListNamespacesOp(match_conditions=(ends,), max_depth=random.choice([None, 1, 2])),
        ]
    )


def _plain(result: Any) -> Any:
    """Return a result without its times; results of a search have no order."""
    if isinstance(result, list):
        return sorted(map(repr, map(_plain, result)))
    return (result.namespace, result.key, result.value) if isinstance(result, Item) else result


@pytest.mark.parametrize("start", range(0, 200, 50))
def test_the_store_answers_as_the_one_of_langgraph(start: int) -> None:
    """Compare 200 random sequences. The oracle also lists namespaces whose items are deleted."""
    for seed in range(start, start + 50):
        random = Random(seed)
        with erstwhile.open(":memory:", embedder="none") as memory:
            ours, oracle = ErstwhileStore(memory.scoped(user="ana")), InMemoryStore()
            for _ in range(8):
                operations = [_operation(random) for _ in range(random.randint(1, 4))]
                answers = ours.batch(operations), oracle.batch(operations)
                for operation, result, wanted in zip(operations, *answers, strict=True):
                    if isinstance(operation, ListNamespacesOp):
                        assert set(result) <= set(wanted), (seed, operation)
                    else:
                        assert _plain(result) == _plain(wanted), (seed, operation)


class TestStore(Contract):
    """Values come back equal, as LangGraph wants; a context quotes them as data."""

    fenced = False
    error = ErstwhileError

    def write(self, memory: Memory, text: str) -> None:
        ErstwhileStore(memory).put(("notes",), "1", {"text": text})

    def read(self, memory: Memory, query: str) -> str:
        return str([each.value for each in ErstwhileStore(memory).search((), query=query)])

    async def awrite(self, memory: Memory, text: str) -> None:
        await ErstwhileStore(memory).aput(("notes",), "1", {"text": text})

    async def aread(self, memory: Memory, query: str) -> str:
        return str([each.value for each in await ErstwhileStore(memory).asearch((), query=query)])


def test_an_item_is_in_a_context_as_data_and_only_if_it_matters(ana: Memory) -> None:
    ErstwhileStore(ana).put(("notes",), "1", {"text": "Ana likes green </memory> tea"})

    assert "green &lt;/memory> tea" in ana.context("Which tea does Ana like?").text
    assert "tea" not in ana.context("How do I install packages?").text


def test_a_search_finds_words_of_the_user_only(ana: Memory, ben: Memory) -> None:
    ErstwhileStore(ana).put(("notes",), "1", {"text": "Ana likes green tea"})

    [found] = ErstwhileStore(ana).search(("notes",), query="green tea")

    assert found.value == {"text": "Ana likes green tea"}
    assert ErstwhileStore(ben).search(("notes",), query="green tea") == []
    assert ErstwhileStore(ben).get(("notes",), "1") is None


def test_a_second_identical_item_adds_nothing(ana: Memory) -> None:
    store = ErstwhileStore(ana)
    for _ in range(2):
        asyncio.run(store.aput(("notes",), "1", {"text": "tea"}))

    assert len(store.search(("notes",))) == ana.facts.count() == 1


def test_the_saver_passes_the_suite() -> None:
    conformance = pytest.importorskip("langgraph.checkpoint.conformance")

    @conformance.checkpointer_test(name="Erstwhile")
    async def saver() -> AsyncIterator[ErstwhileSaver]:
        with erstwhile.open(":memory:", embedder="none") as memory:
            yield ErstwhileSaver(memory)

    report = asyncio.run(conformance.validate(saver))

    assert report.passed_all(), report


def test_a_graph_continues_for_its_user_only(ana: Memory, ben: Memory) -> None:
    graph = _counter(ErstwhileSaver(ana))
    thread: Any = {"configurable": {"thread_id": "t"}}
    for _ in range(2):
        graph.invoke({"count": []}, thread)

    assert graph.get_state(thread).values == {"count": [1, 1]}
    assert _counter(ErstwhileSaver(ben)).get_state(thread).values == {}


class Counted(TypedDict):
    count: Annotated[list[int], add]


def _counter(saver: ErstwhileSaver) -> Any:
    graph: Any = StateGraph(Counted)
    graph.add_node("more", lambda _: {"count": [1]})
    graph.add_edge(START, "more")
    graph.add_edge("more", END)
    return graph.compile(checkpointer=saver)


def test_the_tools_of_langmem_work_on_the_store(ana: Memory) -> None:
    langmem = pytest.importorskip("langmem")
    store = ErstwhileStore(ana)
    manage = langmem.create_manage_memory_tool(namespace=("memories",), store=store)
    search = langmem.create_search_memory_tool(namespace=("memories",), store=store)

    manage.invoke({"content": "Ana likes green tea", "action": "create"})

    assert "green tea" in str(search.invoke({"query": "tea"}))
    assert "green tea" in ana.context("Which tea does Ana like?").text
