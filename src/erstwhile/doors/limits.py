"""How much one client may ask for: bytes, seconds, requests a second, and what is open at once."""

from __future__ import annotations

import math
import re
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

import anyio

from erstwhile.doors.asgi import (
    Connection,
    GateRefusalError,
    Message,
    Receive,
    Send,
    header_value,
    refuse,
)

_DIGITS = re.compile(r"[0-9]{1,18}")
_MOST_TOKENS = 10_000
"""The most tokens whose use is counted. The one that asked longest ago is forgotten."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The limits of a server."""

    body_bytes: int = 4 * 1024 * 1024
    body_seconds: float = 30.0
    """Seconds until the whole body of a request must be here, or the next part of a stream."""
    head_seconds: float = 10.0
    """Seconds until the head of a request must be here."""
    a_second: float = 100.0
    """Requests a second with one token; 0 for any number."""
    burst: float = 10.0
    """Seconds' worth of requests that may come at once."""
    at_once: int = 100
    """Requests that are answered at the same time. Event streams do not count."""
    streams: int = 100
    """Event streams that are open at the same time."""
    streams_of_token: int = 20
    """Those of one token."""


class RateLimit:
    """Counts the requests of each token: a bucket that fills with time."""

    def __init__(
        self, limits: Limits, clock: Callable[[], float] = time.monotonic, most: int = _MOST_TOKENS
    ) -> None:
        self._limits = limits
        self._clock = clock
        self._most = most
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, token: str) -> None:
        """Count one request, or raise a GateRefusalError that says when to try again."""
        rate, now = self._limits.a_second, self._clock()
        if not rate:
            return
        full = max(1.0, rate * self._limits.burst)
        left, since = self._buckets.pop(token, (full, now))
        left = min(full, left + (now - since) * rate)
        self._buckets[token] = (max(0.0, left - 1) if left >= 1 else left, now)
        while len(self._buckets) > self._most:
            self._buckets.popitem(last=False)
        if left < 1:
            raise too_busy(429, "this token is used too often", math.ceil((1 - left) / rate))


class Places:
    """The requests that are answered now. Each has one place until its answer begins to stream."""

    def __init__(self, most: int) -> None:
        self._free = most

    def take(self) -> Callable[[], None]:
        """Take a place, and return the function that gives it back once."""
        if not self._free:
            raise too_busy(503, "too many requests are under way", 1)
        self._free -= 1
        taken = True

        def give_back() -> None:
            nonlocal taken
            self._free += taken
            taken = False

        return give_back


def check_length(connection: Connection, limits: Limits) -> None:
    """Raise a GateRefusalError if the announced body is too large, or its length is ambiguous."""
    length = header_value(connection, b"content-length")
    if length is None:
        return
    if header_value(connection, b"transfer-encoding") is not None:
        raise GateRefusalError(400, "invalid_input", "a request has either a length or chunks")
    if not _DIGITS.fullmatch(length):
        raise GateRefusalError(400, "invalid_input", "the length of the body is not a number")
    if int(length) > limits.body_bytes:
        raise _too_large(limits)


def limited_body(
    receive: Receive, send: Send, limits: Limits, *, streamed: bool
) -> tuple[Receive, Send]:
    """Return both with an end. A body that is too large or too slow is refused at once.

    For the application, the client has then hung up. A body that is `streamed` may have any size,
    and each of its parts has the time of a whole one.
    """
    deadline, size = anyio.current_time() + limits.body_seconds, 0
    begun = complete = refused = False

    async def give_up(refusal: GateRefusalError, rest: Receive | None = None) -> Message:
        nonlocal complete, refused
        complete = refused = True
        if not begun:
            await refuse(send, refusal, rest)
        return {"type": "http.disconnect"}

    async def receive_part() -> Message:
        nonlocal complete, size, deadline
        if complete:
            return {"type": "http.disconnect"} if refused else await receive()
        with anyio.CancelScope(deadline=deadline) as waiting:
            message = await receive()
        if waiting.cancelled_caught:
            return await give_up(GateRefusalError(408, "busy", "the body did not come in time"))
        size += len(message.get("body", b""))
        if size > limits.body_bytes and not streamed:
            return await give_up(_too_large(limits), receive)
        deadline = anyio.current_time() + limits.body_seconds if streamed else deadline
        complete = not message.get("more_body", False)
        return message

    async def send_part(message: Message) -> None:
        nonlocal begun
        if not refused:
            begun = True
            await send(message)

    return receive_part, send_part


def _too_large(limits: Limits) -> GateRefusalError:
    most = f"{limits.body_bytes:,} bytes are allowed"
    return GateRefusalError(413, "too_large", "the body is too large", f"send less: {most}")


def too_busy(status: int, detail: str, seconds: int) -> GateRefusalError:
    """Return the refusal of a request that may be sent again after some seconds."""
    wait = (b"retry-after", str(max(1, seconds)).encode())
    return GateRefusalError(status, "busy", detail, "try again later", (wait,))
