"""The embedder behind a server: its requests, and its checks of answers."""

from __future__ import annotations

import json

import numpy as np
import pytest

from erstwhile.adapters.embedders.hashing import HashingEmbedder
from erstwhile.adapters.embedders.http import BATCH, MAX_CHARACTERS, TRIES, HttpEmbedder
from erstwhile.core.errors import EmbedderError, InvalidInputError
from tests.adapters.embedding_server import DIMENSIONS, KEY, vectors
from tests.adapters.loopback import Answer, LoopbackServer, saying
from tests.cases import cases
from tests.contracts.recall.embedder import EmbedderContract

CASES = cases(__file__)

ONES = [1.0] * DIMENSIONS


class TestHttpEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self, server: LoopbackServer) -> HttpEmbedder:
        return HttpEmbedder(server.url, "test-model")


def test_it_sends_what_the_interface_asks_for(server: LoopbackServer, remote: HttpEmbedder) -> None:
    remote.embed(["Ana", "安娜"])
    [request] = server.seen
    assert request.path == "/v1/embeddings"
    assert request.body == {"model": "test-model", "input": ["Ana", "安娜"]}
    assert request.headers["Authorization"] == f"Bearer {KEY}"
    assert request.headers["Content-Type"] == "application/json"


def test_without_a_key_it_sends_none(server: LoopbackServer) -> None:
    HttpEmbedder(server.url, "test-model").embed(["Ana"])
    assert "Authorization" not in server.seen[0].headers


def test_a_query_in_the_base_url_is_kept(server: LoopbackServer) -> None:
    HttpEmbedder(f"{server.url}/?api-version=7", "test-model").embed(["Ana"])
    assert server.seen[0].path == "/v1/embeddings?api-version=7"


def test_texts_go_in_batches_and_come_back_in_order(
    server: LoopbackServer, remote: HttpEmbedder
) -> None:
    """The test's server answers backwards, so order can only come from the indexes."""
    texts = [f"text number {number}" for number in range(2 * BATCH + 1)]
    rows = remote.embed(texts)
    assert [len(request.body["input"]) for request in server.seen] == [BATCH, BATCH, 1]
    assert np.allclose(rows, HashingEmbedder(DIMENSIONS).embed(texts), atol=1e-6)


def test_vectors_are_brought_to_unit_length(server: LoopbackServer, remote: HttpEmbedder) -> None:
    server.script.append(vectors([3.0, 4.0], [3e300, -4e300], [3e-320, 0]))
    rows = remote.embed(["a", "b", "c"])
    assert np.allclose(rows, [[0.6, 0.8], [0.6, -0.8], [1.0, 0.0]], atol=1e-6)


def test_dimensions_are_asked_for_once(server: LoopbackServer, remote: HttpEmbedder) -> None:
    assert remote.dimensions == remote.dimensions == DIMENSIONS
    assert len(server.seen) == 1


def test_what_servers_refuse_is_not_sent(server: LoopbackServer, remote: HttpEmbedder) -> None:
    remote.embed(["", "x" * (MAX_CHARACTERS + 1), "cut \ud83d off"])
    assert server.seen[0].body["input"] == [" ", "x" * MAX_CHARACTERS, "cut ? off"]


@pytest.mark.parametrize(
    "answer",
    [
        vectors(ONES),
        vectors(ONES, ONES, ONES),
        vectors(ONES, ONES, indexes=[0, 0]),
        vectors(ONES, ONES, indexes=[1, 2]),
        vectors(ONES, ONES[1:]),
        vectors([], []),
        vectors(ONES, None),
        vectors(ONES, "AACAPwAAgD8="),
        vectors(ONES, [[1.0]] * DIMENSIONS),
        vectors(ONES, [None, *ONES[1:]]),
        vectors(ONES, [float("nan"), *ONES[1:]]),
        vectors(ONES, [float("inf"), *ONES[1:]]),
        vectors(ONES, [10**400, *ONES[1:]]),
        vectors(ONES, [0.0] * DIMENSIONS),
        saying("garbage"),
        saying(""),
        saying("null"),
        saying("[]"),
        saying('{"data": null}'),
        saying('{"data": "no"}'),
        saying('{"data": [1, 2]}'),
        saying('{"data": [{}, {}]}'),
        saying('{"data": [{"index": [], "embedding": [1]}]}'),
        saying("[" * 100_000),
        saying("\udcff".encode("utf-8", "surrogateescape").decode("latin-1")),
    ],
)
def test_nonsense_is_not_retried(
    server: LoopbackServer, remote: HttpEmbedder, answer: Answer
) -> None:
    server.script.append(answer)
    with pytest.raises(EmbedderError):
        remote.embed(["Ana", "Ben"])
    assert len(server.seen) == 1


@pytest.mark.parametrize("length", [1, DIMENSIONS - 1, DIMENSIONS + 1])
def test_vectors_keep_their_length(
    server: LoopbackServer, remote: HttpEmbedder, length: int
) -> None:
    remote.embed(["Ana"])
    server.script.append(vectors([1.0] * length))
    with pytest.raises(EmbedderError, match=f"{length} numbers instead of {DIMENSIONS}"):
        remote.embed(["Ana"])
    assert remote.dimensions == DIMENSIONS


def test_an_endless_answer_is_not_read_to_its_end(
    server: LoopbackServer, remote: HttpEmbedder
) -> None:
    server.script.append(saying(" " * 20_000_000))
    with pytest.raises(EmbedderError, match="bytes"):
        remote.embed(["Ana"])


@pytest.mark.parametrize("status", [400, 401, 429, 500])
def test_the_key_is_in_no_error(server: LoopbackServer, remote: HttpEmbedder, status: int) -> None:
    said = json.dumps({"error": {"message": f"Incorrect API key provided: {KEY}."}})
    server.script.extend([saying(said, status=status)] * TRIES)
    with pytest.raises(EmbedderError, match=r"provided: \[key\]") as caught:
        remote.embed(["Ana"])
    assert KEY not in f"{caught.value!r} {caught.value}"
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


def test_the_key_is_in_no_repr(remote: HttpEmbedder) -> None:
    assert KEY not in f"{remote!r}"
    assert "test-model" in repr(remote)


@pytest.mark.parametrize("key", ["", " ", "two words", "line\nbreak", "schlüssel", "\0"])
def test_a_key_that_no_header_can_hold_is_refused_unquoted(key: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        HttpEmbedder("http://localhost/v1", "test-model", key)
    assert not key.strip() or key not in str(caught.value)


@pytest.mark.parametrize("base_url", CASES["an_unusable_base_url_is_refused_unquoted"])
def test_an_unusable_base_url_is_refused_unquoted(base_url: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        HttpEmbedder(base_url, "test-model")
    assert "password@" not in str(caught.value)


def test_a_blank_model_is_refused() -> None:
    with pytest.raises(InvalidInputError):
        HttpEmbedder("http://localhost/v1", " ")
