"""A client that posts JSON to a server and reads JSON.

Temporary failures (no answer, too many requests, a server error) are retried a few times with
growing, random pauses. All other failures are raised at once. Redirects are not followed: they
could send the key anywhere. The key is in no message and no repr.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from http.client import HTTPException, IncompleteRead
from typing import Any
from urllib.error import HTTPError
from urllib.parse import SplitResult
from urllib.request import (
    HTTPDefaultErrorHandler,
    HTTPErrorProcessor,
    HTTPHandler,
    HTTPSHandler,
    OpenerDirector,
    ProxyHandler,
    Request,
)

from erstwhile.adapters.address import shown, split
from erstwhile.adapters.backoff import LONGEST_PAUSE, backoff, retry_after
from erstwhile.core.errors import EmbedderError
from erstwhile.core.logs import log_failure

_CHUNK = 2**16
_REMEDIES = {
    401: "check the key",
    403: "check the key and its permissions",
    404: "check the base url and the model's name",
}


_WAIT = "wait"


def _passing(message: str, *, after: float | None = None) -> EmbedderError:
    """Return the error for a temporary failure."""
    return EmbedderError(message, remedy=_WAIT, retry_after=after)


class Endpoint:
    """One address that accepts and returns JSON."""

    def __init__(
        self,
        url: SplitResult,
        *,
        key: str | None,
        timeout: float,
        most_bytes: int,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self.place = shown(url)
        self._url = url.geturl()
        self._key = key
        self._timeout = timeout
        self._most_bytes = most_bytes
        self._pause = pause
        self._opener = _opener()

    def __repr__(self) -> str:
        return f"<Endpoint {self.place}>"

    def post(self, payload: object, *, tries: int) -> Any:
        """Return the decoded answer. Raise EmbedderError if there is none."""
        body = json.dumps(payload, ensure_ascii=False).encode("utf-8", "replace")
        for attempt in range(1, tries):
            try:
                return self._decoded(self._send(body))
            except EmbedderError as error:
                if error.remedy != _WAIT or (error.retry_after or 0.0) > LONGEST_PAUSE:
                    raise
                log_failure(__name__, "the request to %s is retried", self.place, error=error)
                self._pause((error.retry_after or 0.0) + backoff(attempt))
        return self._decoded(self._send(body))

    def _send(self, body: bytes) -> bytes:
        request = Request(self._url, body, self._headers(), method="POST")  # noqa: S310 (http only)
        try:
            with self._opener.open(request, timeout=self._timeout) as response:
                return self._read(response)
        except HTTPError as error:
            with error:
                raise self._refusal(error) from None
        except (OSError, HTTPException) as error:
            reason = getattr(error, "reason", error)
            raise _passing(f"{self.place} does not answer ({reason})") from None

    def _headers(self) -> dict[str, str]:
        # Some gateways refuse the default user agent of Python.
        headers = {"Content-Type": "application/json", "User-Agent": "erstwhile"}
        return headers | {"Authorization": f"Bearer {self._key}"} if self._key else headers

    def _read(self, response: Any) -> bytes:
        """Return the whole body. Refuse one that is too large, too slow or cut off."""
        deadline = time.monotonic() + self._timeout
        body = bytearray()
        while part := response.read1(_CHUNK):
            body += part
            if len(body) > self._most_bytes:
                raise EmbedderError(f"{self.place} answered with over {self._most_bytes:,} bytes")
            if time.monotonic() > deadline:
                raise TimeoutError("timed out")
        if response.length:
            raise IncompleteRead(b"", response.length)
        return bytes(body)

    def _decoded(self, body: bytes) -> Any:
        try:
            return json.loads(body)
        except (ValueError, RecursionError):
            raise EmbedderError(
                f"{self.place} answered with something that is not JSON",
                remedy="check the base url",
            ) from None

    def _refusal(self, error: HTTPError) -> EmbedderError:
        if 300 <= error.code < 400:
            return self._redirected(error)
        message = f"{self.place} answered {error.code}{self._message(error)}"
        if error.code in (408, 425, 429) or error.code >= 500:
            return _passing(message, after=retry_after(error.headers.get("Retry-After")))
        return EmbedderError(message, remedy=_REMEDIES.get(error.code, "check the settings"))

    def _redirected(self, error: HTTPError) -> EmbedderError:
        return EmbedderError(
            f"{self.place} redirects{_host(error.headers.get('Location', ''))}, not followed",
            remedy="if the new address is right, use it as the base url",
        )

    def _message(self, error: HTTPError) -> str:
        """Return the start of the server's message, without the key; empty if it has none."""
        try:
            answer = json.loads(error.read(_CHUNK))
        except (OSError, HTTPException, ValueError, RecursionError):
            return ""
        error_part = answer.get("error", answer) if isinstance(answer, dict) else None
        text = error_part.get("message") if isinstance(error_part, dict) else error_part
        if not isinstance(text, str):
            return ""
        harmless = text.replace(self._key, "[key]") if self._key else text
        return f" ({' '.join(harmless.split())[:200]})"


def _opener() -> OpenerDirector:
    """Return an opener for http and https through proxies, without redirects, files and ftp."""
    opener = OpenerDirector()
    speaking = (ProxyHandler(), HTTPHandler(), HTTPSHandler())
    for handler in (*speaking, HTTPErrorProcessor(), HTTPDefaultErrorHandler()):
        opener.add_handler(handler)
    return opener


def _host(url: str) -> str:
    """Return the target of a redirect, without the parts that may contain secrets."""
    parts = split(url)
    return f" to {parts.scheme}://{parts.hostname}" if parts and parts.hostname else ""
