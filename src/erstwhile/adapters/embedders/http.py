"""Embedder for servers with OpenAI's embeddings API.

Temporary failures (no answer, too many requests, a server error) are retried a few times. All other
failures are raised at once. Redirects are not followed: they could send the key anywhere. The key
is in no message and no repr. Each request has a connection of its own, so that threads and forks
share none.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from erstwhile.adapters.embedders.base import import_package, no_vectors, unit_vectors
from erstwhile.adapters.http_common import (
    LONGEST_PAUSE,
    backoff,
    check_address,
    is_loopback,
    retry_after,
    split_url,
    url_for_messages,
)
from erstwhile.core.errors import EmbedderError, InvalidInputError
from erstwhile.core.logs import log_failure

if TYPE_CHECKING:
    import ssl

    import httpx2

MOST_CHARACTERS = 8_000
"""A longer text is cut: servers refuse texts over their limit, often about 8,000 tokens."""
TRIES = 4
_LONGEST_ERROR = 2**16
_WAIT = "wait"
"""The remedy for a temporary failure."""
_REMEDIES = {
    401: "check the key",
    403: "check the key and its permissions",
    404: "check the base url and the model's name",
}
_BYTES_PER_VECTOR = 2**18
"""The longest answer for one text, in bytes: eight thousand numbers with all digits."""
_import_httpx = partial(import_package, "httpx2", "httpx2")


class HttpEmbedder:
    """Embedder behind a server; sends texts in batches, and checks every answer.

    Texts to be stored are tried several times. A question is tried once: a caller waits for it, and
    recall can use words instead. `dimensions` asks the server for vectors of that length; without
    it, the first answer sets the length.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        key: str | None = None,
        dimensions: int | None = None,
        batch: int = 64,
        timeout: float = 30.0,
        *,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        if not model.strip():
            raise InvalidInputError("the model's name is blank", remedy="give it after the colon")
        # The http library would quote a key that no header can hold in its error.
        if key is not None and not (key.isascii() and key.isprintable() and " " not in key and key):
            raise InvalidInputError("the key is blank or contains invalid characters")
        if dimensions is not None and dimensions < 1:
            raise InvalidInputError("dimensions must be at least 1")
        if batch < 1:
            raise InvalidInputError("a batch must hold at least one text")
        if not 0 < timeout <= 3600:
            raise InvalidInputError("timeout must lie between 0 and 3600 seconds")
        self._url = check_address(base_url, "/embeddings")
        self._place = url_for_messages(self._url)
        self._key = key
        self._timeout = timeout
        self._pause = pause
        self._request = {"model": model} | ({"dimensions": dimensions} if dimensions else {})
        self._dimensions = dimensions
        self._batch = batch
        self.model = f"http:{model}" + (f"/{dimensions}" if dimensions else "")

    def __repr__(self) -> str:
        return f"<HttpEmbedder {self.model} at {self._place}>"

    @property
    def dimensions(self) -> int:
        """The requested length, or the length of the vectors in the server's first answer."""
        if self._dimensions is None:
            return int(self.embed(["how long is a vector?"]).shape[1])
        return self._dimensions

    def embed(self, texts: Sequence[str], *, query: bool = False) -> NDArray[np.float32]:
        if not texts:
            return no_vectors(self.dimensions)
        starts = range(0, len(texts), self._batch)
        batches = (texts[start : start + self._batch] for start in starts)
        return np.concatenate([self._embed(batch, 1 if query else TRIES) for batch in batches])

    def _embed(self, texts: Sequence[str], tries: int) -> NDArray[np.float32]:
        # Servers refuse an empty text: send a space instead.
        sent = [text[:MOST_CHARACTERS] or " " for text in texts]
        answer = self._post({**self._request, "input": sent}, tries=tries)
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
                remedy="check the model's name and its dimensions",
            )
        return unit_vectors(rows)

    def _post(self, payload: object, *, tries: int) -> Any:
        """Return the decoded answer. Retry temporary failures after growing, random pauses."""
        body = json.dumps(payload, ensure_ascii=False).encode("utf-8", "replace")
        for attempt in range(1, tries):
            try:
                return self._post_once(body)
            except EmbedderError as error:
                if error.remedy != _WAIT or (error.retry_after or 0.0) > LONGEST_PAUSE:
                    raise
                log_failure(__name__, "the request to %s is retried", self._place, error=error)
                self._pause((error.retry_after or 0.0) + backoff(attempt))
        return self._post_once(body)

    def _post_once(self, body: bytes) -> Any:
        httpx = _import_httpx()
        # Some gateways refuse the default user agent. Compressed answers could be of any size.
        headers = {"Content-Type": "application/json", "User-Agent": "erstwhile"}
        headers |= {"Accept-Encoding": "identity"}
        headers |= {"Authorization": f"Bearer {self._key}"} if self._key else {}
        verify = _tls_context() if self._url.scheme == "https" else False
        # A local server needs no proxy, and the texts stay on this machine.
        proxies = not is_loopback(self._url.hostname or "")
        try:
            with (
                httpx.Client(verify=verify, trust_env=proxies, timeout=self._timeout) as client,
                client.stream("POST", self._url.geturl(), content=body, headers=headers) as answer,
            ):
                if answer.status_code >= 300:
                    raise self._failure(answer) from None
                received = self._read_body(answer, 2**20 + self._batch * _BYTES_PER_VECTOR)
        except httpx.TimeoutException:
            raise self._no_answer("timed out") from None
        except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
            raise self._no_answer(str(error) or type(error).__name__) from None
        try:
            return json.loads(received)
        except (ValueError, RecursionError):
            raise EmbedderError(
                f"{self._place} answered with something that is not JSON",
                remedy="check the base url",
            ) from None

    def _no_answer(self, reason: str) -> EmbedderError:
        return EmbedderError(f"{self._place} does not answer ({reason})", remedy=_WAIT)

    def _read_body(self, answer: httpx2.Response, most: int) -> bytes:
        """Return the whole body. Raise EmbedderError if it is too large or too slow."""
        deadline = time.monotonic() + self._timeout
        body = bytearray()
        for part in answer.iter_raw():
            body += part
            if len(body) > most:
                raise EmbedderError(f"{self._place} answered with over {most:,} bytes")
            if time.monotonic() > deadline:
                raise self._no_answer("timed out")
        return bytes(body)

    def _failure(self, answer: httpx2.Response) -> EmbedderError:
        """Return the error for a redirect, or for a status of 400 or more."""
        status = answer.status_code
        if status < 400:
            target = split_url(answer.headers.get("Location", ""))
            host = f" to {target.scheme}://{target.hostname}" if target and target.hostname else ""
            return EmbedderError(
                f"{self._place} redirects{host}, not followed",
                remedy="if the new address is right, use it as the base url",
            )
        message = f"{self._place} answered {status}{self._server_message(answer)}"
        if status in (408, 425, 429) or status >= 500:
            after = retry_after(answer.headers.get("Retry-After"))
            return EmbedderError(message, remedy=_WAIT, retry_after=after)
        return EmbedderError(message, remedy=_REMEDIES.get(status, "check the settings"))

    def _server_message(self, answer: httpx2.Response) -> str:
        """Return the start of the server's message, without the key; empty if it has none."""
        try:
            content = json.loads(self._read_body(answer, _LONGEST_ERROR))
        except (EmbedderError, _import_httpx().HTTPError, OSError, ValueError, RecursionError):
            return ""
        error_part = content.get("error", content) if isinstance(content, dict) else None
        text = error_part.get("message") if isinstance(error_part, dict) else error_part
        if not isinstance(text, str):
            return ""
        harmless = text.replace(self._key, "[key]") if self._key else text
        return f" ({' '.join(harmless.split())[:200]})"


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


@cache
def _tls_context() -> ssl.SSLContext:
    """Return the context for TLS of this process, which takes 20 ms to make."""
    context: ssl.SSLContext = _import_httpx().create_ssl_context()
    return context
