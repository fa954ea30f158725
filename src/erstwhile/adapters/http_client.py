"""HTTP client that posts JSON to a server, with retries, and the pauses before a retry.

Temporary failures (no answer, too many requests, a server error) are retried a few times with
growing, random pauses. All other failures are raised at once. Redirects are not followed: they
could send the key anywhere. The key is in no message and no repr.
"""

from __future__ import annotations

import json
import math
import random
import time
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, urlsplit

from erstwhile.core.errors import EmbedderError, InvalidInputError
from erstwhile.core.logs import log_failure

if TYPE_CHECKING:
    import ssl

    import httpx2

LONGEST_PAUSE = 20.0
"""The longest pause before a retry. If the server asks for more, the call fails."""
_LONGEST_RETRY_AFTER = 3600.0
_FIRST_PAUSE = 0.5
_LONGEST_ERROR = 2**16
_WAIT = "wait"
"""The remedy for a temporary failure."""
_REMEDIES = {
    401: "check the key",
    403: "check the key and its permissions",
    404: "check the base url and the model's name",
}


class Endpoint:
    """One URL that accepts and returns JSON.

    Each request has a connection of its own, so that threads and forks share none.
    """

    def __init__(
        self,
        url: SplitResult,
        *,
        key: str | None,
        timeout: float,
        most_bytes: int,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self.place = url_for_messages(url)
        self._url = url
        self._key = key
        self._timeout = timeout
        self._most_bytes = most_bytes
        self._pause = pause

    def __repr__(self) -> str:
        return f"<Endpoint {self.place}>"

    def post(self, payload: object, *, tries: int) -> Any:
        """Return the decoded answer. Raise EmbedderError if there is none."""
        body = json.dumps(payload, ensure_ascii=False).encode("utf-8", "replace")
        for attempt in range(1, tries):
            try:
                return self._post_once(body)
            except EmbedderError as error:
                if error.remedy != _WAIT or (error.retry_after or 0.0) > LONGEST_PAUSE:
                    raise
                log_failure(__name__, "the request to %s is retried", self.place, error=error)
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
                return json.loads(self._read_body(answer, self._most_bytes))
        except (ValueError, RecursionError):
            raise EmbedderError(
                f"{self.place} answered with something that is not JSON",
                remedy="check the base url",
            ) from None
        except httpx.TimeoutException:
            raise self._no_answer("timed out") from None
        except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
            raise self._no_answer(str(error) or type(error).__name__) from None

    def _no_answer(self, reason: str) -> EmbedderError:
        return EmbedderError(f"{self.place} does not answer ({reason})", remedy=_WAIT)

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
                remedy="if the new address is right, use it as the base url",
            )
        message = f"{self.place} answered {status}{self._server_message(answer)}"
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


def _import_httpx() -> Any:
    try:
        import httpx2
    except ImportError:
        raise EmbedderError(
            "the package httpx2 is not installed", remedy='pip install "erstwhile[client]"'
        ) from None
    return httpx2


@cache
def _tls_context() -> ssl.SSLContext:
    """Return the context for TLS of this process, which takes 20 ms to make."""
    context: ssl.SSLContext = _import_httpx().create_ssl_context()
    return context


def check_address(base_url: str, path: str) -> SplitResult:
    """Return the URL of `path` below a base URL. Raise InvalidInputError if it is unsafe."""
    url = split_url(base_url)
    if url is None or url.scheme not in ("http", "https") or not url.hostname:
        raise InvalidInputError(
            "the base url cannot be used", remedy="give a url such as https://api.example.com/v1"
        )
    if url.username is not None or url.fragment:
        raise InvalidInputError(
            "the base url holds a password or a fragment",
            remedy="remove it; a key has its own setting",
        )
    return url._replace(path=url.path.rstrip("/") + path)


def split_url(url: str) -> SplitResult | None:
    """Split a URL; return None if the HTTP library would fail on it later."""
    if not (url.isascii() and url.isprintable()) or " " in url:
        return None
    try:
        parts = urlsplit(url)
        (parts.hostname or "").encode("idna")
        _ = parts.port
    except ValueError:
        return None
    return parts


def is_loopback(host: str) -> bool:
    """Return whether a host name or address is this machine."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def url_for_messages(url: SplitResult) -> str:
    """Return a URL without its query, which may hold a secret."""
    return f"{url.scheme}://{url.netloc}{url.path}"


def backoff(attempt: int) -> float:
    """Return a random pause that grows with each attempt."""
    return _FIRST_PAUSE * 2.0 ** (attempt - 1) * random.uniform(0.5, 1.0)


def retry_after(value: str | None) -> float | None:
    """Return the seconds of a Retry-After header, a number or a date; None if it is neither."""
    if not value:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            moment = parsedate_to_datetime(value)
        except (ValueError, OverflowError):
            return None
        aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        seconds = (aware - datetime.now(UTC)).total_seconds()
    return None if math.isnan(seconds) else min(max(seconds, 0.0), _LONGEST_RETRY_AFTER)
