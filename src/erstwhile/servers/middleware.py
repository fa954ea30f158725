"""ASGI middleware: authentication, host and origin checks, rate limits, body limits, timeouts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import unquote

import anyio
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from erstwhile.core.errors import BusyError, ErstwhileError, RefusedError
from erstwhile.core.logs import log_failure
from erstwhile.servers.options import EVENTS, MEMORY, THREADS, TOKEN, Limits, ServerOptions
from erstwhile.servers.problems import (
    HttpError,
    bad_request,
    body_too_large,
    forbidden,
    reject,
    server_failure,
    too_busy,
    too_many_values,
)
from erstwhile.servers.rate_limit import RateLimit
from erstwhile.servers.threads import TokenThreads
from erstwhile.servers.tokens import Token, TokenFile

if TYPE_CHECKING:
    from erstwhile.memory import Memory

_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_UNLIMITED_PATHS = frozenset(("/v1/import",))
"""Paths whose bodies may have any size."""
_SAME_ORIGIN = ("same-origin", "none")
_SINGLE = frozenset(
    ("host", "authorization", "origin", "content-length", "transfer-encoding", "content-type",
     "if-match", "idempotency-key", "sec-fetch-site")
)  # fmt: skip
"""Headers that must not occur twice, because two programs could read them differently."""
_DIGITS = re.compile(r"[0-9]{1,18}")
_SECRET = re.compile(r"erstwhile_[\w-]{20}|[?&](?:access_|bearer_?)?token=", re.IGNORECASE)
_PROTECTION = {
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
}
_REJECT_SECONDS, _MAX_DELAYED = 0.5, 100
"""The wait of a token that sends too much for each answer, and for how many answers."""
_BODY_BYTES_A_SECOND, _BURST_SECONDS = 8 * 1024 * 1024, 1.0
"""The bytes of bodies that are read for one token, and the seconds' worth at once. More wait."""
_CHUNKED_WEIGHT, _VALUE_BYTES = 8, 16
"""What a byte of a body in chunks and a value of a JSON text count for: to read them takes time."""
_BEFORE_VALUES = (b"[", b"{", b",")
"""The characters before the values of a JSON text."""
_MAX_VALUES = 100_000
"""The most of them in a body: no other thread runs while a JSON text is parsed."""
_STREAM_RETRY = 10
"""Seconds after which a client may try to open an event stream again."""
_LISTEN = "subscriptions/listen"
"""The MCP method whose response is a lasting event stream."""


def with_security_headers(app: ASGIApp) -> ASGIApp:
    """Return an application that adds security headers to responses that do not set them."""

    async def respond(scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _PROTECTION.items():
                    headers.setdefault(name, value)
            await send(message)

        await app(scope, receive, send_with_headers)

    return respond


class EventStreams:
    """The open event streams, each with the digest of its token."""

    def __init__(self, is_valid: Callable[[Token], bool], limits: Limits) -> None:
        self._is_valid = is_valid
        self._limits = limits
        self._open: dict[anyio.CancelScope, str] = {}

    def end(self) -> None:
        for scope in self._open:
            scope.cancel()

    async def serve(
        self,
        token: Token,
        respond: Callable[[Send], Awaitable[None]],
        send: Send,
        on_start: Callable[[], None],
    ) -> None:
        """Run an application. If it responds with an event stream, limit and end the stream.

        A stream ends with the server, and before its next part if the token is no longer valid.
        """
        rejected = False

        async def send_part(message: Message) -> None:
            nonlocal rejected
            if rejected or (scope in self._open and not self._is_valid(token)):
                scope.cancel()  # the application ends where it waits next
                return
            if _starts_event_stream(message):
                on_start()
                if busy := self._too_many(token.digest):
                    rejected = True
                    await reject(too_busy(429, busy, _STREAM_RETRY), send)
                    scope.cancel()
                    return
                self._open[scope] = token.digest
            await send(message)

        with anyio.CancelScope() as scope:
            try:
                await respond(send_part)
            finally:
                self._open.pop(scope, None)
        if scope.cancelled_caught and not rejected:
            await send({"type": "http.response.body", "body": b""})

    def _too_many(self, token: str) -> str | None:
        """Return why no stream can be opened."""
        if list(self._open.values()).count(token) >= self._limits.streams_of_token:
            return "this token has too many event streams open"
        full = len(self._open) >= self._limits.streams
        return "too many event streams are open" if full else None


def _starts_event_stream(message: Message) -> bool:
    if message["type"] != "http.response.start":
        return False
    return Headers(raw=message["headers"]).get("content-type", "").startswith(EVENTS)


class _LimitedRequest:
    """Receive and send of one request, with limits for the body.

    A body that is too large or too slow is rejected; for the application, the client has then hung
    up. On an unlimited path the body may have any size, and each part has the time of a whole body.
    `pace` counts what the bodies of the token cost, and returns how long the next part waits.
    """

    def __init__(
        self,
        scope: Scope,
        receive: Receive,
        send: Send,
        limits: Limits,
        pace: Callable[[float], float],
    ) -> None:
        self._receive, self._send, self._limits, self._pace = receive, send, limits, pace
        self._weight = _CHUNKED_WEIGHT if "transfer-encoding" in Headers(scope=scope) else 1
        self._unlimited = scope["path"] in _UNLIMITED_PATHS
        self._deadline = anyio.current_time() + limits.body_seconds
        self._size = self._values = 0
        self._wait = 0.0
        """Seconds to wait before the next part is read."""
        self._complete = self._rejected = False
        self.started = False
        """Whether a response has started."""

    async def receive(self) -> Message:
        if self._complete:
            return {"type": "http.disconnect"} if self._rejected else await self._receive()
        with anyio.CancelScope(deadline=self._deadline) as waiting:
            if self._wait:
                await anyio.sleep(self._wait)
            message = await self._receive()
        if waiting.cancelled_caught:
            error = HttpError(BusyError("the body did not come in time", remedy=""), 408)
            return await self._reject(error)
        if self._unlimited:
            self._deadline = anyio.current_time() + self._limits.body_seconds
        elif too_much := self._count(message.get("body", b"")):
            return await self._reject(too_much, self._receive)
        self._complete = not message.get("more_body", False)
        return message

    def _count(self, part: bytes) -> HttpError | None:
        """Count a part of the body. Return what is too large."""
        values = sum(map(part.count, _BEFORE_VALUES))
        self._size += len(part)
        self._values += values
        if self._size > self._limits.body_bytes:
            return body_too_large(self._limits.body_bytes)
        if self._values > _MAX_VALUES:
            return too_many_values(_MAX_VALUES)
        self._wait = self._pace(self._weight * len(part) + _VALUE_BYTES * values)
        return None

    async def send(self, message: Message) -> None:
        if not self._rejected:
            self.started = True
            await self._send(message)

    async def _reject(self, error: HttpError, rest: Receive | None = None) -> Message:
        self._complete = self._rejected = True
        if not self.started:
            await reject(error, self._send, rest)
        return {"type": "http.disconnect"}


class AccessMiddleware:
    """Passes requests with a valid token to an application.

    The application finds the token, its memory and its threads in the ASGI scope, under TOKEN,
    MEMORY and THREADS.
    `memory_of` raises an ErstwhileError for a token without access.
    """

    def __init__(
        self,
        app: ASGIApp,
        tokens: TokenFile,
        memory_of: Callable[[Token], Memory],
        options: ServerOptions,
        streams: EventStreams | None = None,
    ) -> None:
        self._app = app
        self._tokens = tokens
        self._memory_of = memory_of
        self._limits = options.limits
        self._hosts = frozenset(host.lower() for host in options.hosts)
        self._origins = frozenset(options.origins)
        self._rate = RateLimit(options.limits.a_second, options.limits.burst)
        self._pace = RateLimit(_BODY_BYTES_A_SECOND, _BURST_SECONDS)
        self._delayed = Counter[str]()
        self._threads = TokenThreads(options.limits)
        self._under_way = Counter[str]()
        self._streams = streams or EventStreams(tokens.is_valid, options.limits)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve or reject one request."""
        try:
            token = self._check(scope, Headers(scope=scope))
        except HttpError as error:
            await self._delay(scope, error)
            await reject(error, send, receive)
            return
        pace = partial(self._pace.wait, token.digest)
        request = _LimitedRequest(scope, receive, send, self._limits, pace)
        with ExitStack() as slot:
            self._under_way[token.digest] += 1
            slot.callback(_decrease, self._under_way, token.digest)
            # The response to a tool call over MCP can be a stream, too; it ends with the call.
            if scope["method"] != "GET" and Headers(scope=scope).get("mcp-method") != _LISTEN:
                await self._run(scope, request, request.send)
                return
            respond = partial(self._run, scope, request)
            await self._streams.serve(token, respond, request.send, slot.close)

    async def _delay(self, scope: Scope, error: HttpError) -> None:
        """Let a token that sends too much wait, so that it cannot fill the event loop."""
        token: Token | None = scope.get(TOKEN)
        if token is None or error.status != 429 or self._delayed[token.digest] >= _MAX_DELAYED:
            return
        self._delayed[token.digest] += 1
        try:
            await anyio.sleep(_REJECT_SECONDS)
        finally:
            _decrease(self._delayed, token.digest)

    async def _run(self, scope: Scope, request: _LimitedRequest, send: Send) -> None:
        """Run the application. Log unexpected errors without their messages, which may quote."""
        try:
            await self._app(scope, request.receive, send)
        except Exception as error:
            log_failure(__name__, "a request failed", error=error)
            if not request.started:
                await reject(server_failure(), send)

    def _check(self, scope: Scope, headers: Headers) -> Token:
        """Return the token of a request. Raise HttpError if the request is not allowed."""
        names = [name for name in headers if name in _SINGLE or name.startswith("erstwhile-")]
        if len(names) > len(set(names)):
            raise bad_request("a header that may occur only once occurs twice")
        self._check_origin(scope, headers)
        if "content-length" in headers and scope["path"] not in _UNLIMITED_PATHS:
            _check_length(headers, self._limits)
        if _SECRET.search(f"{scope['path']}?{unquote(scope['query_string'].decode('latin-1'))}"):
            raise forbidden(
                "a token in an address is refused: addresses are logged on their way",
                "send it as Authorization: Bearer TOKEN; revoke it if it was a real one",
                400,
            )
        token = self._authenticate(scope, headers)
        if self._under_way[token.digest] >= self._limits.at_once_of_token:
            raise too_busy(429, "too many requests of this token are under way", 1)
        if self._under_way.total() >= self._limits.at_once:
            raise too_busy(503, "too many requests are under way", 1)
        scope[THREADS] = self._threads.of(token.digest)
        return token

    def _check_origin(self, scope: Scope, headers: Headers) -> None:
        """Reject other host names (DNS rebinding) and requests of other web pages."""
        hosts = {*self._hosts, *(f"{name}:{scope['server'][1]}" for name in _LOOPBACK)}
        if headers.get("host", "").lower() not in hosts:
            remedy = "name it with --allow-host when the server is started"
            raise forbidden("this host name is not served here", remedy, 421)
        origin = headers.get("origin")
        if origin in self._origins:
            return
        own = origin is None or origin.partition("://")[2].lower() in hosts
        if not own or headers.get("sec-fetch-site", "none") not in _SAME_ORIGIN:
            raise forbidden("requests of other web pages are refused")

    def _authenticate(self, scope: Scope, headers: Headers) -> Token:
        scheme, _, secret = headers.get("authorization", "").partition(" ")
        try:
            token = self._tokens.find(secret.strip()) if scheme.lower() == "bearer" else None
            if token is None:
                error = RefusedError(
                    "a valid token is needed", remedy="send Authorization: Bearer TOKEN"
                )
                raise HttpError(error, 401, {"WWW-Authenticate": "Bearer"})
            scope[TOKEN] = token
            if seconds := self._rate.refuse(token.digest):
                raise too_busy(429, "this token is used too often", seconds)
            scope[MEMORY] = self._memory_of(token)
        except ErstwhileError as failure:
            if not isinstance(failure, RefusedError):  # a token for another memory
                log_failure(__name__, "a token cannot be used", error=failure)
            remedy = "use a token that was made for it; the server names them when it starts"
            raise forbidden("this token has no access to this memory", remedy) from None
        return token


def _decrease(counted: Counter[str], token: str) -> None:
    counted[token] -= 1
    if not counted[token]:
        del counted[token]


def _check_length(headers: Headers, limits: Limits) -> None:
    """Raise HttpError if the announced body is too large, or its length is ambiguous."""
    if "transfer-encoding" in headers:
        raise bad_request("a request has either a length or chunks")
    if not _DIGITS.fullmatch(headers["content-length"]):
        raise bad_request("the length of the body is not a number")
    if int(headers["content-length"]) > limits.body_bytes:
        raise body_too_large(limits.body_bytes)
