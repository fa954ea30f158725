"""One process that remembers or embeds, for the tests of several.

Arguments: what to do (a function below), the file, and what that takes.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import erstwhile
from tests.doubles import UnreliableEmbedder


def remember(file: str, text: str) -> None:
    with erstwhile.open(file, embedder="none") as memory:
        memory.remember(text)


def flush(file: str) -> None:
    with erstwhile.open(file, embedder=UnreliableEmbedder()) as memory:
        assert memory.flush().texts == 0


def erase(file: str, id: str) -> None:
    with erstwhile.open(file, embedder="none") as memory:
        memory.facts.erase(id)


def replace(file: str, id: str, text: str) -> None:
    with erstwhile.open(file, embedder="none") as memory:
        memory.facts.replace(id, text)


def hang(file: str) -> None:
    """Embed for ever."""
    memory = erstwhile.open(file, embedder=UnreliableEmbedder(_for_ever(threading.Event())))
    memory.remember("kettlesmith")
    memory.flush()


def leave(file: str) -> None:
    """End without closing, while the worker embeds for ever."""
    begun = threading.Event()
    memory = erstwhile.open(file, embedder=UnreliableEmbedder(_for_ever(begun)))
    memory.remember("kettlesmith")
    begun.wait(60)


def fork(file: str) -> None:
    memory = erstwhile.open(file, embedder=UnreliableEmbedder())
    memory.remember("kettledrums")
    memory.flush()
    child = os.fork()
    memory.remember("kettles of fish" if child else "kettlesmith")
    _wait_for_the_worker(memory)
    if child:
        os.waitpid(child, 0)
    print("parent" if child else "child", memory.flush(0).texts, flush=True)
    memory.close()
    if not child:
        os._exit(0)


def _for_ever(begun: threading.Event) -> Any:
    def spoil(_texts: Sequence[str], _vectors: NDArray[np.float32]) -> None:
        print("embedding", flush=True)
        begun.set()
        time.sleep(3_600)

    return spoil


def _wait_for_the_worker(memory: erstwhile.Memory) -> None:
    """Until the thread of this process has embedded what waits."""
    waiting = "SELECT COUNT(*) FROM outbox"
    while memory._access.engine.read(lambda session: session.rows(waiting, {})[0][0]):
        time.sleep(0.01)


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
