"""The gate of a server: who may come in, from where, how often, and with how much patience."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import unquote

from erstwhile.core.errors import ErstwhileError
from erstwhile.core.logs import log_failure
from erstwhile.doors.asgi import (
    Application,
    Connection,
    GateRefusalError,
    Header,
    Message,
    Receive,
    Send,
    answer,
    header_value,
    refuse,
)
from erstwhile.doors.event_streams import EventStreams, is_event_stream, may_stream_events
from erstwhile.doors.limits import Limits, Places, RateLimit, check_length, limited_body
from erstwhile.doors.origins import Origins
from erstwhile.doors.tokens import Token, TokenFile

if TYPE_CHECKING:
    from erstwhile.memory import Memory

TOKEN = "erstwhile.token"  # noqa: S105 (the name of a field)
"""Where an application finds the Token of a request, in its connection."""
MEMORY = "erstwhile.memory"
"""Where it finds the Memory of a request, in the scope of the token."""
_SINGLE = (b"host", b"authorization", b"origin", b"content-length", b"transfer-encoding",
           b"content-type", b"if-match", b"idempotency-key", b"sec-fetch-site")  # fmt: skip
"""The headers that two programs could read differently if they occur twice."""
_OURS = b"erstwhile-"
"""The beginning of the headers that choose a scope and an actor: they occur once, too."""
_SECRET = re.compile(r"erstwhile_[\w-]{20}|[?&](?:access_|bearer_?)?token=", re.IGNORECASE)
_PROTECTION = (
    (b"x-content-type-options", b"nosniff"),
    (b"cache-control", b"no-store"),
    (b"referrer-policy", b"no-referrer"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
)


def _has_doubled_header(connection: Connection) -> bool:
    names = [name.lower() for name, _ in connection["headers"]]
    single = [name for name in names if name in _SINGLE or name.startswith(_OURS)]
    return len(single) > len(set(single))


class Gate:
    """Lets requests with a token through to an application.

    The application finds the token and the memory that it opens in its connection, under TOKEN and
    MEMORY. `memory_of` raises an ErstwhileError if a token opens nothing here. A body of the paths
    in `streamed` may have any size.
    """

    def __init__(
        self,
        application: Application,
        tokens: TokenFile,
        memory_of: Callable[[Token], Memory],
        *,
        origins: Origins | None = None,
        limits: Limits | None = None,
        streamed: Collection[str] = (),
        streams: EventStreams | None = None,
    ) -> None:
        self._application = application
        self._tokens = tokens
        self._memory_of = memory_of
        self._origins = origins or Origins()
        self._limits = limits or Limits()
        self._streamed = frozenset(streamed)
        self._rate = RateLimit(self._limits)
        self._places = Places(self._limits.at_once)
        self._streams = streams or EventStreams()

    async def __call__(self, connection: Connection, receive: Receive, send: Send) -> None:
        """Serve one request, or refuse it."""
        if connection["type"] != "http":
            await self._application(connection, receive, send)
            return
        send = _with_headers(send, (*self._origins.headers(connection), *_PROTECTION))
        if self._origins.is_preflight(connection):
            await answer(send, 204, b"", b"text/plain")
            return
        try:
            streamed = connection["path"] in self._streamed
            self._check(connection, streamed=streamed)
            give_back = self._places.take()
        except GateRefusalError as refusal:
            await refuse(send, refusal, receive)
            return
        receive, send = limited_body(receive, send, self._limits, streamed=streamed)
        try:
            if may_stream_events(connection):
                await self._serve_stream(connection, receive, send, give_back)
            else:
                await self._serve(connection, receive, send)
        finally:
            give_back()

    async def _serve_stream(
        self, connection: Connection, receive: Receive, send: Send, give_back: Callable[[], None]
    ) -> None:
        """Serve a request whose answer may last. Then it needs its place no longer."""
        token: Token = connection[TOKEN]
        await self._streams.serve(
            lambda sending: self._serve(connection, receive, _freeing(sending, give_back)),
            send,
            token=token.digest,
            is_open=partial(self._is_open, token),
            limits=self._limits,
        )

    def _check(self, connection: Connection, *, streamed: bool) -> None:
        """Raise a GateRefusalError for a request that may not pass, the cheapest reason first."""
        if _has_doubled_header(connection):
            raise GateRefusalError(
                400, "invalid_input", "a header occurs twice that may occur once"
            )
        self._origins.check(connection)
        if not streamed:
            check_length(connection, self._limits)
        asked = f"{connection['path']}?{unquote(connection['query_string'].decode('latin-1'))}"
        if _SECRET.search(asked):
            raise GateRefusalError(
                400,
                "refused",
                "a token in an address is refused: addresses are logged on their way",
                "send it as Authorization: Bearer TOKEN; revoke it if it was a real one",
            )
        self._check_token(connection)

    def _check_token(self, connection: Connection) -> None:
        kind, _, secret = (header_value(connection, b"authorization") or "").partition(" ")
        try:
            token = self._tokens.find(secret.strip()) if kind.lower() == "bearer" else None
            if token is None:
                raise GateRefusalError(
                    401,
                    "refused",
                    "a valid token is needed",
                    "send Authorization: Bearer TOKEN",
                    ((b"www-authenticate", b"Bearer"),),
                )
            self._rate.take(token.digest)
            connection[TOKEN], connection[MEMORY] = token, self._memory_of(token)
        except ErstwhileError as error:
            log_failure(__name__, "a token cannot be used", error=error)
            raise GateRefusalError(403, "refused", "this token opens nothing here") from None

    def _is_open(self, token: Token) -> bool:
        """Return whether a token still lets in: it may be revoked or expire during a stream."""
        try:
            return self._tokens.is_valid(token)
        except ErstwhileError:
            return False

    async def _serve(self, connection: Connection, receive: Receive, send: Send) -> None:
        """Run the application. An error that it does not handle is told and logged as such only."""
        begun = False

        async def sending(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self._application(connection, receive, sending)
        except Exception as error:  # the message could quote content: a server would log it
            log_failure(__name__, "a request failed", error=error)
            if not begun:
                await refuse(send, GateRefusalError(500, "error", "the server failed; see its log"))


def _with_headers(send: Send, headers: Iterable[Header]) -> Send:
    """Return `send` with headers that the application does not set itself."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            given = [(name.lower(), value) for name, value in message.get("headers", ())]
            names = {name for name, _ in given}
            more = [each for each in headers if each[0] not in names or each[0] == b"vary"]
            message = {**message, "headers": [*given, *more]}
        await send(message)

    return sending


def _freeing(send: Send, give_back: Callable[[], None]) -> Send:
    """Return `send`, which gives the place back when an event stream begins: it may last hours."""

    async def sending(message: Message) -> None:
        if is_event_stream(message):
            give_back()
        await send(message)

    return sending
