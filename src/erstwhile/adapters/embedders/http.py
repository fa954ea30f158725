"""Embedder for servers with OpenAI's embeddings API.

Temporary failures (no answer, too many requests, a server error) are retried a few times. All other
failures are raised at once.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from erstwhile.adapters.embedders.base import no_vectors, unit_vectors
from erstwhile.adapters.http_common import MAX_PAUSE, backoff
from erstwhile.adapters.json_endpoint import WAIT, JsonEndpoint
from erstwhile.core.errors import EmbedderError, InvalidInputError
from erstwhile.core.logs import log_failure

MAX_CHARACTERS = 8_000
"""A longer text is cut: servers refuse texts over their limit, often about 8,000 tokens."""
TRIES = 4
BATCH = 64
"""The texts of one request."""
TIMEOUT = 30.0
"""Seconds to wait for an answer."""
_BYTES_PER_VECTOR = 2**18
"""The longest answer for one text, in bytes: eight thousand numbers with all digits."""


class HttpEmbedder:
    """Embedder behind a server; sends texts in batches, and checks every answer.

    Texts to be stored are tried several times. A question is tried once: a caller waits for it, and
    recall can use words instead. The first answer sets the length of the vectors.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        key: str | None = None,
        *,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        if not model.strip():
            raise InvalidInputError("the model's name is blank", remedy="give it after the colon")
        self._endpoint = JsonEndpoint(base_url, "/embeddings", key, TIMEOUT)
        self._place = self._endpoint.place
        self._pause = pause
        self._model = model
        self._dimensions: int | None = None
        self.model = f"http:{model}"

    def __repr__(self) -> str:
        return f"<HttpEmbedder {self.model} at {self._place}>"

    @property
    def dimensions(self) -> int:
        """The length of the vectors in the server's first answer."""
        if self._dimensions is None:
            return int(self.embed(["how long is a vector?"]).shape[1])
        return self._dimensions

    def embed(self, texts: Sequence[str], *, query: bool = False) -> NDArray[np.float32]:
        if not texts:
            return no_vectors(self.dimensions)
        batches = (texts[start : start + BATCH] for start in range(0, len(texts), BATCH))
        return np.concatenate([self._embed(batch, 1 if query else TRIES) for batch in batches])

    def _embed(self, texts: Sequence[str], tries: int) -> NDArray[np.float32]:
        # Servers refuse an empty text: send a space instead.
        sent = [text[:MAX_CHARACTERS] or " " for text in texts]
        answer = self._post({"model": self._model, "input": sent}, tries=tries)
        rows = _rows(answer, len(texts))
        if rows is None:
            raise EmbedderError(
                f"{self._place} did not answer with one vector per text",
                remedy="check that it has OpenAI's embeddings interface",
            )
        if self._dimensions is None:
            self._dimensions = rows.shape[1]
        if rows.shape[1] != self._dimensions:
            raise EmbedderError(
                f"{self._place} returned vectors of {rows.shape[1]} numbers instead of "
                f"{self._dimensions}",
                remedy="check the model's name",
            )
        return unit_vectors(rows)

    def _post(self, payload: object, *, tries: int) -> Any:
        """Return the decoded answer. Retry temporary failures after growing, random pauses."""
        most = 2**20 + BATCH * _BYTES_PER_VECTOR
        for attempt in range(1, tries):
            try:
                return self._endpoint.post(payload, most)
            except EmbedderError as error:
                if error.remedy != WAIT or (error.retry_after or 0.0) > MAX_PAUSE:
                    raise
                log_failure(__name__, "the request to %s is retried", self._place, error=error)
                self._pause((error.retry_after or 0.0) + backoff(attempt))
        return self._endpoint.post(payload, most)


def _rows(answer: Any, count: int) -> NDArray[np.float64] | None:
    """Return the vectors in the order of the texts; None if the answer has another shape."""
    try:
        placed = {
            item.get("index", place): item["embedding"] for place, item in enumerate(answer["data"])
        }
        rows = np.array([placed[place] for place in range(count)], dtype=np.float64)
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError):
        return None
    complete = len(answer["data"]) == count and rows.ndim == 2 and rows.shape[1] > 0
    return rows if complete else None
