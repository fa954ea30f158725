"""The embedder can be changed in use. The run is resumable, and models are never mixed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from erstwhile.core.errors import EmbedderError, InvalidInputError, ScopeError
from erstwhile.core.ports import Engine
from erstwhile.memory import Memory
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import Contract, embedding_memory, found
from tests.contracts.recall.indexing import FACT, NEAR, by_meaning
from tests.doubles import TROUBLES, UnreliableEmbedder

WORDS = ("apple", "bread", "cider", "dough", "every", "fudge", "grape", "honey", "icing")


class ReembeddingContract(Contract):
    @pytest.fixture
    def memory(self, engine: Engine, clock: FakeClock) -> Memory:
        memory = embedding_memory(engine, clock, UnreliableEmbedder(model="old"))
        memory.remember_many([FACT, *(f"fact {n}" for n in range(70))])
        memory.scoped(user="bob").remember("kettledrums")
        memory.flush()
        return memory

    @pytest.mark.by_meaning
    @pytest.mark.parametrize("dimensions", [64, 32])
    def test_another_model_is_noticed_and_said_and_not_mixed_in(
        self, memory: Memory, engine: Engine, clock: FakeClock, dimensions: int
    ) -> None:
        """Even if its vectors have the same length."""
        embedder = UnreliableEmbedder(None, dimensions, "new")
        newer = embedding_memory(engine, clock, embedder)
        newer.remember("made by the new one")
        assert newer.flush().texts == 1
        assert embedder.embedded == []
        hits = newer.recall(FACT)
        assert found(hits) == [FACT]
        assert "made by old, and this process has new" in hits.trace.notices[0]
        assert by_meaning(newer) == []
        assert memory.flush().texts == 0

    @pytest.mark.by_meaning
    @pytest.mark.parametrize("dimensions", [64, 32])
    def test_the_new_model_serves_when_it_has_embedded_all(
        self, memory: Memory, engine: Engine, clock: FakeClock, dimensions: int
    ) -> None:
        newer = embedding_memory(engine, clock, UnreliableEmbedder(None, dimensions, "new"))
        told: list[tuple[int, int]] = []
        assert newer.reembed(lambda done, total: told.append((done, total))) == 72
        assert told == [(0, 72), (32, 72), (64, 72), (72, 72)]
        assert newer.recall(NEAR).trace.notices == ()
        assert by_meaning(newer) == [FACT]
        assert set(by_meaning(newer.scoped(user="bob"))) == {FACT, "kettledrums"}
        assert "made by new" in memory.recall(FACT).trace.notices[0]
        assert newer.reembed() == 0

    @pytest.mark.by_meaning
    def test_the_old_model_serves_until_then_and_a_stopped_run_goes_on(
        self, memory: Memory, engine: Engine, clock: FakeClock
    ) -> None:
        embedder = UnreliableEmbedder(None, 32, "new")
        newer = embedding_memory(engine, clock, embedder)

        def look(done: int, _total: int) -> None:
            assert by_meaning(memory) == [FACT]
            assert found(newer.recall(FACT)) == [FACT]
            if done == 32:
                embedder.spoil = TROUBLES["broken"]

        with pytest.raises(EmbedderError, match="RuntimeError"):
            newer.reembed(look)
        assert by_meaning(memory) == [FACT]
        embedder.spoil = None
        embedder.embedded.clear()
        assert newer.reembed() == 40
        assert len(embedder.embedded) == 40
        assert by_meaning(newer) == [FACT]

    @pytest.mark.by_meaning
    def test_what_comes_in_meanwhile_is_embedded_too(
        self, memory: Memory, engine: Engine, clock: FakeClock
    ) -> None:
        newer = embedding_memory(engine, clock, UnreliableEmbedder(None, 32, "new"))

        def remember(done: int, _total: int) -> None:
            if done == 32:
                memory.remember("kettlesmithing")
                memory.flush()

        newer.reembed(remember)
        newer.flush()
        assert set(by_meaning(newer)) == {FACT, "kettlesmithing"}

    @pytest.mark.by_meaning
    @pytest.mark.usefixtures("memory")
    def test_what_gives_no_vector_waits(self, engine: Engine, clock: FakeClock) -> None:
        def void(texts: Sequence[str], vectors: NDArray[np.float32]) -> Any:
            vectors[[text == FACT for text in texts]] = 0
            return vectors

        embedder = UnreliableEmbedder(void, 32, "new")
        newer = embedding_memory(engine, clock, embedder)
        newer.reembed()
        assert by_meaning(newer) == []
        embedder.spoil = None
        clock.advance(minutes=1)
        assert newer.flush().texts == 0
        assert by_meaning(newer) == [FACT]

    @pytest.mark.by_meaning
    def test_own_pairs_calibrate_the_relevance(self, memory: Memory) -> None:
        """No text is embedded again. If the model finds the pairs well, its cosines count more."""
        before = memory.recall(NEAR, floor=0)[0]
        same = {f"{word} {word[::-1]}": f"{word} {word[::-1]}" for word in WORDS}
        assert memory.reembed(pairs=same) == 0
        after = memory.recall(NEAR, floor=0)[0]
        assert after.why.cosine == before.why.cosine
        assert (after.why.meaning or 0.0) > (before.why.meaning or 0.0)
        with pytest.raises(InvalidInputError, match="at least 8"):
            memory.reembed(pairs={"Where does Ana live?": "Ana lives in Lisbon"})

    def test_it_is_for_the_whole_store_and_needs_an_embedder(
        self, memory: Memory, engine: Engine, clock: FakeClock
    ) -> None:
        with pytest.raises(ScopeError, match="whole store"):
            memory.scoped(user="bob").reembed()
        with pytest.raises(InvalidInputError, match="no embedder"):
            embedding_memory(engine, clock, None).reembed()
