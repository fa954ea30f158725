"""Reranker for servers with a `/rerank` address: Cohere, Jina, vLLM, Text Embeddings Inference.

A query is tried once: a caller waits for it, and recall has an order of its own.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from math import isfinite
from typing import Any

from erstwhile.adapters.json_endpoint import JsonEndpoint
from erstwhile.core.errors import EmbedderError

MOST_CHARACTERS = 4_000
"""A longer text is cut: many rerankers read 512 tokens."""
_BYTES_PER_TEXT = 2**15
"""The longest answer for one text: some servers send it back."""


class HttpReranker:
    """Reranker behind a server. Without a model it sends what Text Embeddings Inference expects."""

    def __init__(
        self, base_url: str, model: str = "", key: str | None = None, timeout: float = 30.0
    ) -> None:
        self._endpoint = JsonEndpoint(base_url, "/rerank", key, timeout)
        self._named = {"model": model} if model else {}
        self._texts = "documents" if model else "texts"
        self.model = f"http:{model}"

    def __repr__(self) -> str:
        return f"<HttpReranker {self.model} at {self._endpoint.place}>"

    def rerank(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return the relevance of each text to the query."""
        if not texts:
            return []
        sent = [text[:MOST_CHARACTERS] or " " for text in texts]
        payload = {**self._named, "query": query[:MOST_CHARACTERS], self._texts: sent}
        body = json.dumps(payload, ensure_ascii=False).encode("utf-8", "replace")
        answer = self._endpoint.post(body, 2**20 + len(texts) * _BYTES_PER_TEXT)
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
