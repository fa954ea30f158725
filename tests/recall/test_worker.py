"""The embedding thread starts by itself, blocks nobody, and ends with the memory."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import erstwhile
from erstwhile.core import background
from erstwhile.core.background import BackgroundThread
from erstwhile.recall import embedding, outbox
from tests.doubles import TROUBLES, UnreliableEmbedder

NAME = "erstwhile-embedding"


class Gate:
    """Blocks an embedder until it is opened."""

    def __init__(self) -> None:
        self.reached = threading.Event()
        self.open = threading.Event()

    def __call__(self, _texts: Sequence[str], vectors: NDArray[np.float32]) -> Any:
        self.reached.set()
        assert self.open.wait(60)
        return vectors


def until(true: Callable[[], object]) -> None:
    """Wait until a condition is true."""
    deadline = time.monotonic() + 60
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def waiting(memory: erstwhile.Memory) -> int:
    count = "SELECT COUNT(*) FROM outbox"
    return int(memory._access.engine.read(lambda session: session.rows(count, {})[0][0]))


def workers() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == NAME]


def test_what_is_remembered_is_embedded_without_being_asked(location: str) -> None:
    with erstwhile.open(location, embedder=UnreliableEmbedder()) as memory:
        memory.scoped(user="ana").remember("kettlesmith")
        until(lambda: not waiting(memory))
        assert len(memory.scoped(user="ana").recall("kettles")) == 1
        assert len(workers()) == 1
    assert workers() == []


def test_reading_embeds_what_an_earlier_process_left(tmp_path: Path) -> None:
    with erstwhile.open(tmp_path / "a.db", embedder="none") as memory:
        memory.remember("kettlesmith " * 50)
    with erstwhile.open(tmp_path / "a.db", embedder=UnreliableEmbedder()) as memory:
        assert waiting(memory)
        memory.recall("kettles")
        until(lambda: not waiting(memory))


def test_reading_starts_no_thread(location: str) -> None:
    with erstwhile.open(location, embedder=UnreliableEmbedder()) as memory:
        memory.recall("kettles")
        assert workers() == []


def test_a_slow_embedder_holds_up_nobody(location: str) -> None:
    """Neither `remember` nor a search by words waits for it."""
    gate = Gate()
    embedder = UnreliableEmbedder()
    with erstwhile.open(location, embedder=embedder) as memory:
        memory.remember("kettle")
        memory.flush()
        embedder.spoil = gate
        memory.remember("kettlesmith")
        assert gate.reached.wait(60)
        gate.reached.clear()
        asking = threading.Thread(target=memory.recall, args=("kettles",))
        asking.start()
        assert gate.reached.wait(60)
        newest = memory.remember("written meanwhile")
        assert memory.facts.get(newest.id) == newest
        memory.facts.erase(newest.id)
        gate.open.set()
        asking.join(60)
        until(lambda: not waiting(memory))


def test_closing_waits_for_the_batch_under_way_and_no_more(location: str) -> None:
    gate = Gate()
    embedder = UnreliableEmbedder(gate)
    memory = erstwhile.open(location, embedder=embedder)
    memory.remember_many([f"fact {number}" for number in range(outbox.BATCH * 2)])
    assert gate.reached.wait(60)
    closing = threading.Thread(target=memory.close)
    closing.start()
    worker = memory._services.embedding_thread
    assert isinstance(worker, BackgroundThread)
    until(worker._stopped.is_set)
    gate.open.set()
    closing.join(60)
    assert workers() == []
    assert sum(text.startswith("fact ") for text in embedder.embedded) == outbox.BATCH
    memory.close()


class Watched:
    """A lock that records whether a thread waited for it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.waited_for = threading.Event()

    def __enter__(self) -> None:
        if not self._lock.acquire(blocking=False):
            self.waited_for.set()
            self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()


def test_two_threads_embed_nothing_twice(location: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A flush waits for the batch of another thread, then takes the next."""
    monkeypatch.setattr(background, "_PAUSE", 3600.0)  # the threads are the test's own
    gate, turn = Gate(), Watched()
    embedder = UnreliableEmbedder()
    with erstwhile.open(location, embedder=embedder) as memory:
        recall = memory._services.recall
        monkeypatch.setattr(recall._outbox, "_lock", turn)
        memory.remember("warm")
        memory.flush()
        embedder.spoil = gate
        memory.remember_many(["kettle", "kettlesmith"])
        threads = [threading.Thread(target=memory.flush) for _ in range(2)]
        for thread in threads:
            thread.start()
        until(lambda: turn.waited_for.is_set() or embedder.embedded.count("kettle") > 1)
        gate.open.set()
        for thread in threads:
            thread.join(60)
        assert not waiting(memory)
    assert sorted(text for text in embedder.embedded if "kettle" in text) == [
        "kettle",
        "kettlesmith",
    ]


@pytest.mark.parametrize("trouble", TROUBLES)
def test_it_outlives_all_trouble(
    location: str, trouble: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It retries by itself."""
    monkeypatch.setattr(background, "_LOOK_EVERY", 0.05)
    embedder = UnreliableEmbedder(TROUBLES[trouble])
    with erstwhile.open(location, embedder=embedder) as memory:
        memory.remember("kettlesmith")
        until(lambda: embedder.embedded)
        embedder.spoil = None
        until(lambda: not waiting(memory))


def test_a_failed_question_rests_the_embedder_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    """After the rest it is asked again."""
    monkeypatch.setattr(embedding, "_PAUSE", 0.2)
    embedder = UnreliableEmbedder()
    with erstwhile.open(":memory:", embedder=embedder) as memory:
        memory.remember("kettlesmith")
        memory.flush()
        embedder.spoil = TROUBLES["down"]
        assert len(memory.recall("kettles")) == 0
        embedder.spoil = None
        until(lambda: len(memory.recall("kettles")) == 1)


def test_questions_from_many_threads_get_the_same_answers(location: str) -> None:
    """While other threads remember and embed. All threads share the cache."""
    with erstwhile.open(location, embedder=UnreliableEmbedder()) as memory:
        memory.remember_many(["kettlesmith", "kettledrums", "fishes"])
        memory.flush()
        answers: list[set[str]] = []

        def ask() -> None:
            for _ in range(20):
                answers.append({hit.fact.text for hit in memory.recall("kettles")})

        def remember() -> None:
            for number in range(20):
                memory.remember(f"fishes {number}")
                memory.flush()

        threads = [threading.Thread(target=work) for work in (ask, ask, remember)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        assert answers == [{"kettlesmith", "kettledrums"}] * 40
