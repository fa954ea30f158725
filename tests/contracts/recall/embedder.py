"""The contract of every embedder."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from erstwhile.core.ports import Embedder

TEXTS = (
    "Ana prefers pnpm over npm",
    "The shop runs on PostgreSQL 17 since last week.",
    "他喜欢在周末去爬山",
    "Nos mudamos a Sevilla en marzo",
    "東京で寿司を食べました",
    "저는 고양이를 좋아해요",
    "Привет, как дела?",
    "مرحبا بالعالم",
    "def parse_date(text: str) -> date: ...",
    "👩‍👩‍👧‍👦 naïve café\tZürich\r\n",
    "word " * 1000,
    "长" * 2500,
    "x" * 5000,
    "",
    " \n\t ",
    "\0",
    "…!?",
)
SHORT = tuple(text for text in TEXTS if len(text) < 100)
_TOLERANCE = 1e-5
_ANY_EMBEDDER = settings(
    max_examples=50,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.differing_executors],
)


class EmbedderContract:
    """Derive a class whose name begins with Test, and give it a fixture `embedder`."""

    def test_every_text_has_a_finite_row_of_unit_length(self, embedder: Embedder) -> None:
        rows = embedder.embed(TEXTS)
        assert rows.shape == (len(TEXTS), embedder.dimensions)
        assert rows.dtype == np.float32
        assert np.isfinite(rows).all()
        assert np.allclose(np.linalg.norm(rows, axis=1), 1.0, atol=_TOLERANCE)

    def test_no_texts_give_no_rows(self, embedder: Embedder) -> None:
        for query in (False, True):
            rows = embedder.embed([], query=query)
            assert rows.shape == (0, embedder.dimensions)
            assert rows.dtype == np.float32

    def test_the_same_text_has_the_same_vector(self, embedder: Embedder) -> None:
        assert np.array_equal(embedder.embed(TEXTS), embedder.embed(TEXTS))

    def test_company_changes_nothing(self, embedder: Embedder) -> None:
        """The vector of a text does not depend on its batch or its place in the batch."""
        together = embedder.embed(TEXTS)
        alone = np.concatenate([embedder.embed([text]) for text in TEXTS])
        assert np.allclose(together, alone, atol=_TOLERANCE)
        assert np.allclose(together, embedder.embed(TEXTS[::-1])[::-1], atol=_TOLERANCE)

    @_ANY_EMBEDDER
    @given(texts=st.lists(st.text(), min_size=1, max_size=3), query=st.booleans())
    def test_any_text_can_be_embedded(
        self, embedder: Embedder, texts: list[str], query: bool
    ) -> None:
        rows = embedder.embed(texts, query=query)
        assert rows.shape == (len(texts), embedder.dimensions)
        assert np.allclose(np.linalg.norm(rows, axis=1), 1.0, atol=_TOLERANCE)

    def test_broken_text_can_be_embedded_too(self, embedder: Embedder) -> None:
        """Half a surrogate pair is no character, but a query may have it."""
        assert embedder.embed(["cut \ud83d off", "\udc00"]).shape == (2, embedder.dimensions)

    def test_related_texts_are_nearer_than_unrelated_ones(self, embedder: Embedder) -> None:
        statement, repeat, other = embedder.embed(
            ["Ana prefers pnpm over npm", "Ana likes pnpm more than npm", "It rained in Lisbon"]
        )
        assert statement @ repeat > statement @ other

    def test_a_question_is_nearest_to_its_answer(self, embedder: Embedder) -> None:
        question = embedder.embed(["Which city does Ana live in?"], query=True)[0]
        answer, other = embedder.embed(["Ana lives in the city of Lisbon", "pnpm replaced npm"])
        assert question @ answer > question @ other

    def test_threads_do_not_disturb_each_other(self, embedder: Embedder) -> None:
        alone = [embedder.embed([text]) for text in SHORT]

        def again(number: int) -> NDArray[np.float32]:
            return embedder.embed([SHORT[number]])

        numbers = list(range(len(SHORT))) * 3
        with ThreadPoolExecutor(4) as pool:
            for number, rows in zip(numbers, pool.map(again, numbers), strict=True):
                assert np.allclose(rows, alone[number], atol=_TOLERANCE)

    def test_a_vector_belongs_to_whoever_got_it(self, embedder: Embedder) -> None:
        """A caller may change it without an effect on later answers."""
        first = embedder.embed(["Ana"], query=True)
        kept = first.copy()
        first[:] = 0.0
        assert np.array_equal(embedder.embed(["Ana"], query=True), kept)

    def test_its_name_is_one_word_that_stays(self, embedder: Embedder) -> None:
        before = embedder.model
        embedder.embed(["Ana"])
        assert embedder.model == before
        assert before.split() == [before]
