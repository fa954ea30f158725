"""The passages in the index: their vectors, what waits for them, and what is left when they go."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from erstwhile.adapters.embedders.hashing import HashingEmbedder
from erstwhile.core.ports import Engine
from erstwhile.memory import Memory
from erstwhile.recall.embedding import MAX_LENGTH, MAX_NEW
from erstwhile.storage.passages import MAX_EMBEDDED
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import Contract, embedding_memory, inside
from tests.contracts.recall.among import ADD, ERASE, HIDE, KINDS, LONG, PART, ids
from tests.doubles import UnreliableEmbedder

TABLES = ("passages", "passage_terms", "outbox")
SENTENCE = "Sentence number {} is about something that nobody will ever ask for again. "


def long_text(passages: int) -> str:
    """Return a text with at least so many passages, each with its own words."""
    return "".join(SENTENCE.format(number) for number in range(5 * passages))


def count(memory: Memory, table: str, condition: str = "") -> int:
    sql = f"SELECT COUNT(*) FROM {table} {condition}"  # noqa: S608 (our own names)
    [(rows,)] = inside(memory).engine.read(lambda session: session.rows(sql, {}))
    return int(rows)


def vectors(memory: Memory) -> int:
    return count(memory, "vectors", "WHERE vector IS NOT NULL")


def everything(memory: Memory) -> list[list[Any]]:
    """Return all rows that belong to the index."""
    tables = ("passages", "partitions", "vectors", "outbox", "embedders", "fact_uses")
    asked = [f"SELECT * FROM {table} ORDER BY 1, 2" for table in tables]  # noqa: S608 (our names)
    return inside(memory).engine.read(lambda session: [session.rows(sql, {}) for sql in asked])


class Topics:
    """An embedder that knows three topics, whatever the words are. Others have no direction."""

    dimensions = 4
    model = "topics"
    words = ({"cat", "kitten"}, {"car", "truck"}, {"tea", "coffee"})

    def __init__(self) -> None:
        self.embedded: list[str] = []

    def embed(self, texts: Sequence[str], *, query: bool = False) -> NDArray[np.float32]:
        self.embedded += texts if not query else []
        return np.asarray([[*self._topics(text), 0.1] for text in texts], np.float32)

    def _topics(self, text: str) -> list[float]:
        said = set(text.casefold().replace(".", "").replace("?", "").split())
        return [float(len(said & words)) for words in self.words]


class PassagesContract(Contract):
    @pytest.fixture
    def embedder(self) -> Topics:
        return Topics()

    @pytest.fixture
    def memory(self, engine: Engine, clock: FakeClock, embedder: Topics) -> Memory:
        return embedding_memory(engine, clock, embedder)

    @pytest.mark.parametrize("kind", KINDS)
    def test_erasing_a_record_takes_everything_of_it_out_of_the_index(
        self, memory: Memory, kind: str
    ) -> None:
        """Passages, terms, vectors, and what waits for a vector."""
        for flushed in (False, True):
            id = ADD[kind](memory, LONG)
            assert count(memory, "passages", f"WHERE record = '{id}'") > 3
            if flushed:
                assert memory.flush().texts == 0
                assert vectors(memory) > 3
            ERASE[kind](memory, id)
            assert [count(memory, table) for table in TABLES] == [0, 0, 0]
            assert vectors(memory) == 0

    def test_erasing_a_conversation_takes_its_messages_out_of_the_index(
        self, memory: Memory
    ) -> None:
        for role in ("user", "assistant", "tool"):
            one = memory.conversations.add(role, LONG).conversation
        memory.flush()
        memory.conversations.add("user", LONG)
        memory.conversations.close(one, LONG)
        memory.conversations.erase(one)
        assert [count(memory, table) for table in TABLES] == [0, 0, 0]
        assert vectors(memory) == 0

    @pytest.mark.parametrize("kind", sorted(set(KINDS) - {"facts"}))
    def test_a_hidden_record_keeps_nothing_in_the_index_but_a_deleted_conversation(
        self, memory: Memory, kind: str
    ) -> None:
        id = ADD[kind](memory, LONG)
        memory.flush()
        HIDE[kind](memory, id)
        assert count(memory, "passages", f"WHERE record = '{id}'") == 0
        assert count(memory, "outbox") == 0

    def test_a_long_message_gets_a_bounded_number_of_vectors(
        self, memory: Memory, embedder: Topics
    ) -> None:
        """The rest is found by its words."""
        message = memory.conversations.add("user", long_text(100) + PART)
        assert count(memory, "passages") > MAX_EMBEDDED
        assert count(memory, "outbox") == MAX_EMBEDDED
        memory.flush()
        assert vectors(memory) == MAX_EMBEDDED
        assert sum(text.startswith("Sentence") for text in embedder.embedded) == MAX_EMBEDDED
        [hit] = memory.recall("blue kettle", among="messages")
        assert (hit.record.id, PART in hit.passage.text) == (message.id, True)

    @pytest.mark.parametrize("role", ["tool", "system"])
    def test_what_nobody_said_gets_no_vectors(self, memory: Memory, role: str) -> None:
        message = memory.conversations.add(role, PART)
        assert count(memory, "outbox") == 0
        assert memory.flush().texts == 0
        assert vectors(memory) == 0
        assert ids(memory, "blue kettle", "messages") == [message.id]

    @pytest.mark.by_meaning
    @pytest.mark.parametrize("kind", KINDS)
    def test_another_model_embeds_every_passage_again(
        self, memory: Memory, engine: Engine, clock: FakeClock, kind: str
    ) -> None:
        ADD[kind](memory, LONG)
        memory.flush()
        before = vectors(memory)
        newer = embedding_memory(engine, clock, HashingEmbedder(32))
        assert newer.reembed() == before > 3
        assert vectors(newer) == before
        [hit] = newer.recall("blue kettle in the harbour office", among=kind)
        assert hit.why.cosine is not None
        assert PART in hit.passage.text

    @pytest.mark.by_meaning
    @pytest.mark.parametrize("kind", KINDS)
    def test_what_was_just_stored_is_found_by_meaning(
        self, memory: Memory, embedder: Topics, kind: str
    ) -> None:
        """The query embeds it, and the next query does not embed it again."""
        ADD[kind](memory, "A truck stands there")
        memory.flush()
        id = ADD[kind](memory, "My kitten sleeps")
        for _ in range(2):
            hit = memory.recall("is there a cat?", among=kind)[0]
            assert (hit.record.id, hit.passage.text in hit.record.searched) == (id, True)
            assert hit.why.cosine is not None
        assert sum("kitten" in text for text in embedder.embedded) == 1
        memory.flush()
        assert ids(memory, "is there a cat?", kind)[0] == id

    @pytest.mark.by_meaning
    def test_a_query_embeds_no_more_than_some_and_nothing_long(
        self, memory: Memory, embedder: Topics
    ) -> None:
        memory.remember_many([f"kitten {number}" for number in range(2 * MAX_NEW)])
        memory.remember("truck " + "x" * MAX_LENGTH)
        memory.recall("is there a cat?")
        assert len(embedder.embedded) == MAX_NEW
        assert not any("truck" in text for text in embedder.embedded)

    @pytest.mark.by_meaning
    def test_a_query_writes_nothing(self, memory: Memory) -> None:
        memory.remember("My kitten sleeps")
        memory.conversations.add("user", "My kitten sleeps")
        before = everything(memory)
        assert len(memory.recall("is there a cat?", among="all")) == 2
        assert everything(memory) == before

    def test_waiting_texts_of_others_are_neither_embedded_nor_found(
        self, memory: Memory, embedder: Topics
    ) -> None:
        memory.scoped(user="bob").remember("My kitten sleeps")
        assert ids(memory.scoped(user="ana"), "is there a cat?", "all") == []
        assert embedder.embedded == []

    @pytest.mark.by_meaning
    def test_a_missing_vector_does_not_count_as_a_low_one(
        self, engine: Engine, clock: FakeClock
    ) -> None:
        """The fact that has all the words stays first while only others have a vector."""

        def spoil(texts: Sequence[str], made: NDArray[np.float32]) -> NDArray[np.float32]:
            made[[at for at, text in enumerate(texts) if "harbour" in text]] = np.nan
            return made

        query = "which kettle is in the office of the harbour master"
        embedder = UnreliableEmbedder(
            lambda texts, made: made if query in texts else spoil(texts, made)
        )
        memory = embedding_memory(engine, clock, embedder)
        best = memory.remember("The kettle in the office of the harbour master is blue")
        for number in range(6):
            memory.remember(f"which office is number {number}?")
        memory.flush()
        hits = memory.recall(query)
        assert hits[0].record.id == best.id
        assert hits[0].why.cosine is None
        assert all(hit.why.cosine is not None for hit in hits[1:])
        assert len(hits) > 1
