"""CrewAI: its memory on our storage, and its LanceDB storage as an oracle."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest

import erstwhile
from erstwhile import Memory

pytest.importorskip("crewai")

from crewai.memory.storage.backend import EmbeddingDimensionMismatchError, StorageBackend
from crewai.memory.storage.lancedb_storage import LanceDBStorage
from crewai.memory.types import MemoryRecord
from crewai.memory.unified_memory import Memory as CrewMemory

from erstwhile.integrations.crewai import ErstwhileStorage
from tests.frameworks.contract import Contract


def _crew(memory: Memory) -> CrewMemory:
    storage = ErstwhileStorage(memory, embedder="hashing")
    return CrewMemory(storage=storage, embedder=storage.embed, consolidation_threshold=1.0)


class TestStorage(Contract):
    error = ValueError

    def write(self, memory: Memory, text: str) -> None:
        storage = ErstwhileStorage(memory, embedder="hashing")
        storage.save([MemoryRecord(content=text)])

    def read(self, memory: Memory, query: str) -> str:
        storage = ErstwhileStorage(memory, embedder="hashing")
        return str([each.content for each, _ in storage.search(storage.embed([query])[0])])

    async def awrite(self, memory: Memory, text: str) -> None:
        storage = ErstwhileStorage(memory, embedder="hashing")
        await storage.asave([MemoryRecord(content=text)])

    async def aread(self, memory: Memory, query: str) -> str:
        storage = ErstwhileStorage(memory, embedder="hashing")
        found = await storage.asearch(storage.embed([query])[0])
        return str([each.content for each, _ in found])


def test_a_crew_remembers(ana: Memory, ben: Memory) -> None:
    fields: Any = {"scope": "/ana", "categories": ["food"], "importance": 0.5, "metadata": {}}
    _crew(ana).remember("Ana drinks green tea", **fields)

    [match] = _crew(ana).recall("Which tea does Ana drink?", depth="shallow")

    assert match.record.content == "Ana drinks green tea"
    assert _crew(ben).recall("Which tea does Ana drink?", depth="shallow") == []
    assert isinstance(ErstwhileStorage(ana), StorageBackend)


def test_a_vector_of_another_embedder_is_an_error_of_crewai(ana: Memory) -> None:
    storage = ErstwhileStorage(ana, embedder="hashing")
    size = len(storage.embed(["tea"])[0])
    with pytest.raises(EmbeddingDimensionMismatchError):
        storage.search([0.0] * (size + 1))
    with pytest.raises(EmbeddingDimensionMismatchError):
        storage.save([MemoryRecord(content="tea", embedding=[0.5])])
    with pytest.raises(ValueError, match=r"embedder=storage\.embed"):
        storage.search([0.0] * size)


def test_a_search_filters_by_scope_category_and_metadata(ana: Memory) -> None:
    storage = ErstwhileStorage(ana, embedder="hashing")
    for scope, kind in (("/a", "x"), ("/a/b", "y"), ("/ab", "y")):
        text = f"Ana drinks green tea in {scope}"
        storage.save(
            [MemoryRecord(content=text, scope=scope, categories=[kind], metadata={"k": kind})]
        )
    vector = storage.embed(["green tea"])[0]

    def scopes(**options: Any) -> list[str]:
        return sorted(record.scope for record, _ in storage.search(vector, **options))

    assert scopes() == ["/a", "/a/b", "/ab"]
    assert scopes(scope_prefix="/a") == ["/a", "/a/b"]
    assert scopes(categories=["y"]) == ["/a/b", "/ab"]
    assert scopes(metadata_filter={"k": "x"}) == ["/a"]
    assert len(scopes(limit=1)) == 1


SCOPES = ["/", "/a", "/a/b", "/b_b", "/c"]
"""No scope begins like its sibling: LanceDB takes /a_b for a part of /a."""
START = datetime(2026, 11, 18)  # noqa: DTZ001 (CrewAI's times have no zone)


def _record(random: Random, number: int) -> MemoryRecord:
    return MemoryRecord(
        id=f"r{random.randint(1, 6)}",
        content=f"Note {number} about tea",
        scope=random.choice(SCOPES),
        categories=random.sample(["x", "y"], random.randint(0, 2)),
        metadata={"k": random.randint(0, 1)},
        created_at=START + timedelta(minutes=number),
        last_accessed=START,
        embedding=[float(number)] * 256,
    )


def _step(storage: Any, random: Random, number: int) -> Any:
    choice, scope = random.random(), random.choice([None, *SCOPES[1:]])
    known = storage.get_record(record.id) if (record := _record(random, number)) else None
    if choice < 0.5:
        return storage.update(record) if known else storage.save([record])
    if choice < 0.6:
        return storage.delete(record_ids=[record.id, "r1"])
    if choice < 0.65:
        return storage.delete(categories=["x"], scope_prefix=scope)
    if choice < 0.7:
        return storage.delete(older_than=START + timedelta(minutes=number - 2))
    if choice < 0.75:
        return storage.reset(scope)
    info = storage.get_scope_info(scope or "/")
    listed = [each.model_dump() for each in storage.list_records(scope, limit=3, offset=1)]
    counts = storage.count(scope), storage.list_categories(scope), info.record_count
    times = info.oldest_record, info.newest_record, info.categories
    return known and known.content, listed, counts, times, storage.list_scopes(scope or "/")


@pytest.mark.parametrize("start", range(0, 200, 50))
def test_a_storage_answers_as_the_one_of_crewai(start: int, tmp_path: Path) -> None:
    """Compare 200 random sequences of all that needs no search."""
    for seed in range(start, start + 50):
        with erstwhile.open(":memory:", embedder="none") as memory:
            storages: Any = (
                ErstwhileStorage(memory.scoped(user="ana"), embedder="hashing"),
                LanceDBStorage(path=str(tmp_path / str(seed)), vector_dim=256),
            )
            for number in range(1, 9):
                ours, oracle = (
                    _step(each, Random(f"{seed} {number}"), number) for each in storages
                )
                assert ours == oracle, (seed, number)


def test_the_async_methods_delete(ana: Memory) -> None:
    storage = ErstwhileStorage(ana, embedder="hashing")
    asyncio.run(storage.asave([MemoryRecord(content="tea", id="r1")]))
    assert asyncio.run(storage.adelete(record_ids=["r1"])) == 1
    assert storage.count() == 0
