"""One address of a server that answers a JSON request with JSON.

Redirects are not followed: they could send the key anywhere. The key is in no message and no repr.
Each request has a connection of its own, so that threads and forks share none.
"""

from __future__ import annotations

import json
import time
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from erstwhile.adapters.embedders.base import import_package
from erstwhile.adapters.http_common import (
    check_address,
    is_loopback,
    retry_after,
    split_url,
    url_for_messages,
)
from erstwhile.core.errors import EmbedderError, InvalidInputError

if TYPE_CHECKING:
    import ssl

    import httpx2

WAIT = "wait, or check that the server runs at this address"
"""The remedy for a temporary failure."""
_MAX_ERROR = 2**16
_REMEDIES = {
    401: "check the key",
    403: "check the key and its permissions",
    404: "check the base URL and the model's name",
}
_import_httpx = partial(import_package, "httpx2", "httpx2")


class JsonEndpoint:
    """An address of a model's server. `place` is the address as messages show it."""

    def __init__(self, base_url: str, path: str, key: str | None, timeout: float) -> None:
        # The http library would quote a key that no header can hold in its error.
        if key is not None and not (key.isascii() and key.isprintable() and " " not in key and key):
            raise InvalidInputError("the key is blank or contains invalid characters")
        self._url = check_address(base_url, path)
        self._key = key
        self._timeout = timeout
        self.place = url_for_messages(self._url)

    def post(self, payload: object, most: int) -> Any:
        """Return the decoded answer of up to `most` bytes, or raise EmbedderError."""
        httpx = _import_httpx()
        body = json.dumps(payload, ensure_ascii=False).encode("utf-8", "replace")
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
                received = self._read_body(answer, most)
        except httpx.TimeoutException:
            raise self._no_answer("timed out") from None
        except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
            raise self._no_answer(str(error) or type(error).__name__) from None
        try:
            return json.loads(received)
        except (ValueError, RecursionError):
            raise EmbedderError(
                f"{self.place} answered with something that is not JSON",
                remedy="check the base URL",
            ) from None

    def _no_answer(self, reason: str) -> EmbedderError:
        return EmbedderError(f"{self.place} does not answer ({reason})", remedy=WAIT)

    def _read_body(self, answer: httpx2.Response, most: int) -> bytes:
        """Return the whole body. Raise EmbedderError if it is too large or too slow."""
        deadline = time.monotonic() + self._timeout
        body = bytearray()
        for part in answer.iter_raw():
            body += part
            if len(body) > most:
                raise EmbedderError(f"{self.place} answered with over {most:,} bytes")
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
                f"{self.place} redirects{host}, not followed",
                remedy="if the new address is right, use it as the base URL",
            )
        message = f"{self.place} answered {status}{self._server_message(answer)}"
        if status in (408, 425, 429) or status >= 500:
            after = retry_after(answer.headers.get("Retry-After"))
            return EmbedderError(message, remedy=WAIT, retry_after=after)
        return EmbedderError(message, remedy=_REMEDIES.get(status, "check the settings"))

    def _server_message(self, answer: httpx2.Response) -> str:
        """Return the start of the server's message, without the key; empty if it has none."""
        try:
            content = json.loads(self._read_body(answer, _MAX_ERROR))
        except (EmbedderError, _import_httpx().HTTPError, OSError, ValueError, RecursionError):
            return ""
        error_part = content.get("error", content) if isinstance(content, dict) else None
        text = error_part.get("message") if isinstance(error_part, dict) else error_part
        if not isinstance(text, str):
            return ""
        harmless = text.replace(self._key, "[key]") if self._key else text
        return f" ({' '.join(harmless.split())[:200]})"


@cache
def _tls_context() -> ssl.SSLContext:
    """Return the context for TLS of this process, which takes 20 ms to make."""
    context: ssl.SSLContext = _import_httpx().create_ssl_context()
    return context
