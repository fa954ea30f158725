"""Facts are embedded later, at least once, and `remember` never waits for it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from threading import Event
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from erstwhile.adapters.embedders.hashing import HashingEmbedder
from erstwhile.core.errors import EmbedderError
from erstwhile.core.ports import Engine
from erstwhile.memory import Memory
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import Contract, embedding_memory, found, inside
from tests.doubles import TROUBLES, UnreliableEmbedder, raising

NEAR = "kettles"
"""Has no stem in common with the fact below: only its meaning is near."""
FACT = "kettlesmith"


def by_meaning(memory: Memory, query: str = NEAR) -> list[str]:
    """Return the facts that are found without a common word."""
    return [hit.fact.text for hit in memory.recall(query) if hit.why.cosine and not hit.why.terms]


def embed_in_background(memory: Memory) -> None:
    """Embed what is due, as the background thread does."""
    for _ in memory._services.recall.drain(inside(memory)):
        pass


class IndexingContract(Contract):
    @pytest.fixture
    def embedder(self) -> UnreliableEmbedder:
        return UnreliableEmbedder()

    @pytest.fixture
    def memory(self, engine: Engine, clock: FakeClock, embedder: UnreliableEmbedder) -> Memory:
        return embedding_memory(engine, clock, embedder)

    @pytest.mark.by_meaning
    def test_a_new_fact_is_found_by_words_and_meaning_at_once(self, memory: Memory) -> None:
        """A query embeds short texts that wait, and stores nothing."""
        memory.remember(FACT)
        for waiting in (1, 0):
            assert found(memory.recall(FACT)) == [FACT]
            assert by_meaning(memory) == [FACT]
            hits = memory.recall(NEAR)
            assert (hits.trace.notices, hits.trace.embedded) == ((), NEAR)
            assert memory.stats().outbox == waiting
            assert memory.flush().texts == 0

    @pytest.mark.by_meaning
    @pytest.mark.parametrize("factor", [1, np.nan])
    def test_queries_embed_a_waiting_text_once(
        self, memory: Memory, embedder: UnreliableEmbedder, factor: float
    ) -> None:
        """Its vector is kept in the process. The background thread tries a failed one again."""
        memory.remember(FACT)
        embedder.spoil = lambda texts, vectors: vectors * (factor if texts == [FACT] else 1)
        for _ in range(3):
            assert memory.recall(NEAR).trace.notices == ()
        assert embedder.embedded.count(FACT) == 1

    def test_the_root_counts_what_waits_in_every_scope(
        self, memory: Memory, embedder: UnreliableEmbedder
    ) -> None:
        memory.scoped(user="ana").remember(FACT)
        embedder.spoil = raising(EmbedderError("down"))
        assert memory.flush().texts == 1
        assert memory.scoped(user="bob").flush().texts == 0
        counted = [memory.everything(), memory.scoped(user="ana"), memory.scoped(user="bob")]
        assert [each.stats().outbox for each in counted] == [1, 1, 0]

    @pytest.mark.by_meaning
    def test_a_lone_match_by_meaning_has_a_score(self, memory: Memory) -> None:
        """A single candidate cannot be scaled by others."""
        memory.remember(FACT)
        memory.flush()
        [hit] = memory.recall(NEAR)
        assert hit.why.cosine == pytest.approx(1.0, abs=0.02)
        assert not hit.is_weak

    @pytest.mark.by_meaning
    def test_a_model_is_measured_once(
        self, memory: Memory, embedder: UnreliableEmbedder, engine: Engine, clock: FakeClock
    ) -> None:
        """Its similarity scale is stored for every process."""
        memory.remember(FACT)
        memory.flush()
        embedder.embedded.clear()
        again = embedding_memory(engine, clock, embedder)
        again.remember("another")
        again.flush()
        again.recall(NEAR)
        assert embedder.embedded == ["another", NEAR]

    def test_flushing_again_embeds_nothing_again(
        self, memory: Memory, embedder: UnreliableEmbedder
    ) -> None:
        """Nor does a verbatim repeat, a pin or a retirement: the text is equal."""
        fact = memory.remember(FACT)
        assert memory.flush().texts == memory.flush().texts == 0
        memory.remember(FACT, tags=["metal"])
        memory.facts.pin(fact.id)
        memory.facts.retire(fact.id, "wrong")
        assert memory.flush().texts == 0
        assert embedder.embedded.count(FACT) == 1

    @pytest.mark.by_meaning
    def test_a_replacement_is_embedded_and_the_old_text_no_longer_found(
        self, memory: Memory
    ) -> None:
        old = memory.remember(FACT)
        memory.flush()
        memory.facts.replace(old.id, "locksmiths")
        memory.flush()
        assert by_meaning(memory) == []
        assert by_meaning(memory, "lockskeeper") == ["locksmiths"]

    @pytest.mark.by_meaning
    @pytest.mark.parametrize("trouble", TROUBLES)
    def test_trouble_with_the_embedder_costs_nothing_but_meaning(
        self,
        memory: Memory,
        engine: Engine,
        embedder: UnreliableEmbedder,
        clock: FakeClock,
        trouble: str,
    ) -> None:
        """The fact is found by words, and by meaning after the next try.

        The background waits before it; who calls `flush` does not.
        """
        embedder.spoil = TROUBLES[trouble]
        memory.remember_many([FACT, "another"])
        assert memory.flush().texts == 2
        assert found(memory.recall(FACT)) == [FACT]
        asked = len(embedder.embedded)
        embed_in_background(memory)
        assert len(embedder.embedded) == asked, "it was asked again at once"
        embedder.spoil = None
        embed_in_background(memory)
        assert memory.flush().texts == 0
        # The memory itself may leave the embedder in peace for a while yet.
        assert by_meaning(embedding_memory(engine, clock, embedder))[0] == FACT

    @pytest.mark.by_meaning
    @pytest.mark.parametrize("trouble", TROUBLES)
    def test_trouble_with_a_question_leaves_the_words(
        self, memory: Memory, embedder: UnreliableEmbedder, trouble: str
    ) -> None:
        memory.remember(FACT)
        memory.flush()
        embedder.spoil = TROUBLES[trouble]
        hits = memory.recall(FACT)
        assert found(hits) == [FACT]
        [notice] = hits.trace.notices
        assert notice.endswith("found by words alone")
        assert hits.trace.embedded is None
        asked = len(embedder.embedded)
        assert memory.recall(FACT).trace.notices == (notice,)
        assert len(embedder.embedded) == asked, "it was asked again at once"

    def test_pauses_grow_while_it_fails(
        self, memory: Memory, embedder: UnreliableEmbedder, clock: FakeClock
    ) -> None:
        """1, 2, 4, 8 … seconds, ten minutes at most."""
        embedder.spoil = TROUBLES["down"]
        memory.remember(FACT)
        attempts = []
        for second in range(4_000):
            before = embedder.embedded.count(FACT)
            embed_in_background(memory)
            attempts += [second] * (embedder.embedded.count(FACT) - before)
            clock.advance(seconds=1.001)
        gaps = [later - earlier for earlier, later in pairwise(attempts)]
        assert gaps == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600, 600, 600]

    def test_it_may_say_when_to_try_again(
        self, memory: Memory, embedder: UnreliableEmbedder, clock: FakeClock
    ) -> None:
        embedder.spoil = raising(EmbedderError("slow down", retry_after=90))
        memory.remember(FACT)
        memory.flush()
        embedder.spoil = None
        asked = len(embedder.embedded)
        clock.advance(seconds=89)
        embed_in_background(memory)
        assert len(embedder.embedded) == asked
        clock.advance(seconds=2)
        embed_in_background(memory)
        assert len(embedder.embedded) > asked
        assert memory.flush().texts == 0

    def test_one_bad_text_holds_up_no_others(
        self, memory: Memory, embedder: UnreliableEmbedder, clock: FakeClock
    ) -> None:
        """Neither a text without a vector, nor a text that makes the whole batch fail."""

        def choke(texts: Sequence[str], vectors: NDArray[np.float32]) -> Any:
            if "poison" in texts:
                raise ValueError("poison")
            vectors[[text == "void" for text in texts]] = np.nan
            return vectors

        embedder.spoil = choke
        memory.remember_many(["poison", "void", *(f"fact {n}" for n in range(60))])
        for _ in range(200):
            clock.advance(seconds=1)
            memory.flush()
        assert memory.flush().texts == 2
        embedder.spoil = None
        clock.advance(minutes=10)
        assert memory.flush().texts == 0

    @pytest.mark.by_meaning
    def test_a_model_that_changes_its_dimension_is_not_mixed_in(
        self, memory: Memory, engine: Engine, clock: FakeClock
    ) -> None:
        """Words find its texts until `reembed` lets it serve; then the old one finds by words."""
        memory.remember(FACT)
        memory.flush()
        other = embedding_memory(engine, clock, UnreliableEmbedder(None, 32, "unreliable/64"))
        other.remember("newer")
        assert other.flush().texts == 1
        assert found(other.recall("newer")) == ["newer"]
        told = other.recall("newer").trace.notices[0]
        assert "with 64 dimensions" in told
        assert "with 32 dimensions" in told
        assert by_meaning(memory) == [FACT]
        assert other.reembed() == 2
        assert by_meaning(other) == [FACT]
        clock.advance(seconds=1)
        assert (other.reembed(), other.flush().texts) == (0, 0)
        assert "with 64 dimensions: found by words" in memory.recall("newer").trace.notices[0]

    @pytest.mark.by_meaning
    def test_a_query_does_not_wait_for_a_model_that_hangs(
        self, engine: Engine, clock: FakeClock
    ) -> None:
        """It finds by words and says so; the next one does not ask the model."""
        released = Event()
        hanging = UnreliableEmbedder(lambda _texts, vectors: vectors * released.wait(60))
        memory = embedding_memory(engine, clock, hanging, wait=0.05)
        memory.remember(FACT)
        try:
            for _ in range(2):
                hits = memory.recall(FACT)
                assert found(hits) == [FACT]
                assert "did not answer within 0.05 seconds" in hits.trace.notices[0]
                assert "found by words alone" in hits.trace.notices[0]
            assert len(hanging.embedded) == 1
        finally:
            released.set()

    @pytest.mark.by_meaning
    def test_names_are_left_out_of_the_question_s_meaning(self, memory: Memory) -> None:
        memory.remember("Ana Maria lives in Lisbon", entities=["Ana Maria"])
        memory.flush()
        trace = memory.recall("Where does Ana Maria's sister live?").trace
        assert trace.embedded == "Where does sister live"
        assert trace.names == ("Ana Maria",)
        assert {"ana", "maria"} <= set(trace.terms)
        assert memory.recall("Ana Maria?").trace.embedded == "Ana Maria"

    @pytest.mark.by_meaning
    def test_only_a_visible_name_is_left_out(self, memory: Memory) -> None:
        memory.scoped(user="bob").remember("Zoe is here", entities=["Zoe"])
        memory.facts.delete(memory.remember("Yan was here", entities=["Yan"]).id)
        memory.remember("Xi, they say", entities=["Xi"], origin="web")
        memory.flush()
        trace = memory.recall("Where are Zoe, Yan and Xi?").trace
        assert trace.names == ()
        assert trace.embedded == "Where are Zoe, Yan and Xi"

    @pytest.mark.by_meaning
    def test_an_erased_fact_is_not_embedded_after_all(
        self, memory: Memory, embedder: UnreliableEmbedder, engine: Engine, clock: FakeClock
    ) -> None:
        """It was erased while the model had its text, and another fact got its place."""
        fact = memory.remember(FACT)

        def erase_meanwhile(_texts: Sequence[str], vectors: NDArray[np.float32]) -> Any:
            embedder.spoil = None
            memory.facts.erase(fact.id)
            memory.scoped(user="bob").remember("unrelated")
            return vectors

        embedder.spoil = erase_meanwhile
        assert memory.flush().texts == 0
        bob = embedding_memory(engine, clock, HashingEmbedder(64)).scoped(user="bob")
        assert by_meaning(memory) == by_meaning(bob) == []
        memory.flush()
        assert by_meaning(memory.scoped(user="bob"), "unrelatedness") == ["unrelated"]

    @pytest.mark.by_meaning
    def test_erased_meaning_is_gone_for_a_memory_that_knew_it(
        self, memory: Memory, engine: Engine, clock: FakeClock
    ) -> None:
        """Another memory has the vector in its cache."""
        other = embedding_memory(engine, clock, UnreliableEmbedder())
        kept, gone = memory.remember_many([FACT, "kettlesmiths"])
        memory.flush()
        assert set(by_meaning(other)) == {kept.text, gone.text}
        memory.facts.erase(gone.id)
        newer = memory.scoped(user="bob").remember("kettlesmithy")
        memory.flush()
        assert by_meaning(other) == [kept.text]
        assert set(by_meaning(other.scoped(user="bob"))) == {kept.text, newer.text}
