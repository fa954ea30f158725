"""The gate of a server on this machine: who may come in, from where, and with how much patience.

A web page in a browser can send requests to a server on the same machine. So the name of the host,
the origin and the token are checked before anything else.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, MutableMapping
from typing import Any, TypeAlias

import anyio

from erstwhile.core.errors import ErstwhileError
from erstwhile.core.logs import log_failure
from erstwhile.doors.tokens import Token, TokenFile

Connection: TypeAlias = MutableMapping[str, Any]
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
Application: TypeAlias = Callable[[Connection, Receive, Send], Awaitable[None]]

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
PATIENCE = 30.0
"""Seconds until the whole body of a request must be here."""
_OWN_PAGES = ("same-origin", "none")


class Gate:
    """Lets requests with a token through to an application.

    `enter` puts what the application needs to know about the token into the connection, and raises
    an ErstwhileError if the token opens nothing here.
    """

    def __init__(
        self,
        application: Application,
        tokens: TokenFile,
        enter: Callable[[Connection, Token], None],
        *,
        hosts: Collection[str] = (),
        patience: float = PATIENCE,
    ) -> None:
        self._application = application
        self._tokens = tokens
        self._enter = enter
        self._hosts = frozenset(hosts)
        self._patience = patience

    async def __call__(self, connection: Connection, receive: Receive, send: Send) -> None:
        """Serve one request, or refuse it."""
        if connection["type"] != "http":
            await self._application(connection, receive, send)
        elif (refused := self._refusal(connection)) is not None:
            await _refuse(send, *refused)
        else:
            await self._application(connection, self._patiently(receive), send)

    def _refusal(self, connection: Connection) -> tuple[int, str] | None:
        """Return the status and the reason for a request that may not pass."""
        headers = [(name.lower(), value.decode("latin-1")) for name, value in connection["headers"]]
        given = dict(headers)
        hosts = {*self._hosts, *(f"{name}:{connection['server'][1]}" for name in LOOPBACK)}
        named = [value for name, value in headers if name == b"host"]
        if len(named) != 1 or named[0].lower() not in hosts:
            return 421, "this host name is not served here"
        origin = given.get(b"origin")
        if origin is not None and origin.partition("://")[2].lower() not in hosts:
            return 403, "requests of other web pages are refused"
        if given.get(b"sec-fetch-site", "none") not in _OWN_PAGES:
            return 403, "requests of other web pages are refused"
        return self._refused_token(connection, given.get(b"authorization", ""))

    def _refused_token(self, connection: Connection, authorization: str) -> tuple[int, str] | None:
        kind, _, secret = authorization.partition(" ")
        try:
            token = self._tokens.find(secret.strip()) if kind.lower() == "bearer" else None
            if token is None:
                return 401, "a valid token is needed: send Authorization: Bearer TOKEN"
            self._enter(connection, token)
        except ErstwhileError as error:
            log_failure(__name__, "a token cannot be used", error=error)
            return 403, "this token opens nothing here"
        return None

    def _patiently(self, receive: Receive) -> Receive:
        """Return `receive` with an end: a body that does not come counts as hung up."""
        deadline, complete = anyio.current_time() + self._patience, False

        async def wait() -> Message:
            nonlocal complete
            if complete:
                return await receive()
            with anyio.CancelScope(deadline=deadline):
                message = await receive()
                complete = not message.get("more_body", False)
                return message
            complete = True
            return {"type": "http.disconnect"}

        return wait


async def _refuse(send: Send, status: int, reason: str) -> None:
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"cache-control", b"no-store")]
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": reason.encode()})
