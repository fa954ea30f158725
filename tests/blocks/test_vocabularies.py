"""Vocabularies load before a transaction begins."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

import pytest

from erstwhile.bootstrap import assemble
from erstwhile.core.errors import NotFoundError
from erstwhile.core.ports import Session, Tokenizer
from erstwhile.core.scope import Viewer
from erstwhile.engines.sqlite.engine import SqliteEngine
from erstwhile.memory import Memory
from erstwhile.testing.clock import FakeClock

Result = TypeVar("Result")


class WatchedEngine(SqliteEngine):
    """Knows whether a transaction is open that changes something."""

    writing = False

    def write(self, work: Callable[[Session], Result]) -> Result:
        self.writing = True
        try:
            return super().write(work)
        finally:
            self.writing = False


class LoadingTokenizer:
    """Loads its vocabulary on first use, and records whether that was inside a transaction."""

    def __init__(self, engine: WatchedEngine, name: str) -> None:
        self.name = name
        self.engine = engine
        self.loaded_while_writing: bool | None = None

    def count(self, text: str) -> int:
        if self.loaded_while_writing is None:
            self.loaded_while_writing = self.engine.writing
        return len(text.split())

    def parts(self, text: str) -> Sequence[str]:
        return [text]


class Loading:
    """The tokenizers of a process that has loaded none."""

    def __init__(self, engine: WatchedEngine, default: str = "words") -> None:
        self.default = LoadingTokenizer(engine, default)
        self.other = LoadingTokenizer(engine, "other")

    @property
    def estimate(self) -> Tokenizer:
        return self.default

    def named(self, name: str) -> Tokenizer | None:
        return {self.default.name: self.default, "other": self.other}.get(name)


@pytest.fixture
def engine() -> Iterator[WatchedEngine]:
    engine = WatchedEngine(":memory:")
    yield engine
    engine.close()


def _memory(engine: WatchedEngine, tokenizers: Loading) -> Memory:
    return assemble(engine, FakeClock(), Viewer(), tokenizers=tokenizers)


def test_a_new_block_loads_the_vocabulary_first(engine: WatchedEngine) -> None:
    tokenizers = Loading(engine)
    _memory(engine, tokenizers).blocks.add("notes", "tea and milk")
    assert tokenizers.default.loaded_while_writing is False


@pytest.mark.parametrize(
    "change",
    [
        lambda memory: memory.blocks.update("notes", "coffee"),
        lambda memory: memory.blocks.append("notes", "coffee"),
        lambda memory: memory.blocks.insert("notes", 0, "coffee"),
        lambda memory: memory.blocks.replace_text("notes", "tea", "coffee"),
        lambda memory: memory.blocks.restore("notes", 1),
    ],
)
def test_a_change_loads_the_vocabulary_that_counted_the_block(
    engine: WatchedEngine, change: Callable[[Memory], object]
) -> None:
    memory = _memory(engine, Loading(engine, "other"))
    memory.blocks.add("notes", "tea")
    memory.blocks.append("notes", "milk")
    tokenizers = Loading(engine)
    change(_memory(engine, tokenizers))
    assert tokenizers.other.loaded_while_writing is False


def test_a_new_limit_loads_the_vocabulary_of_this_process(engine: WatchedEngine) -> None:
    _memory(engine, Loading(engine, "other")).blocks.add("notes", "tea")
    tokenizers = Loading(engine)
    _memory(engine, tokenizers).blocks.set_limit("notes", 10)
    assert tokenizers.default.loaded_while_writing is False


def test_a_block_that_does_not_exist_loads_nothing(engine: WatchedEngine) -> None:
    tokenizers = Loading(engine)
    with pytest.raises(NotFoundError):
        _memory(engine, tokenizers).blocks.append("notes", "coffee")
    assert tokenizers.default.loaded_while_writing is None
