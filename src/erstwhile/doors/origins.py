"""Which hosts and origins a server answers: the defence against web pages in a browser.

A web page can send requests to a server on the same machine, and by a name of its own that leads
there (DNS rebinding). So the name of the host and the origin are checked before anything else.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from erstwhile.core.errors import InvalidInputError
from erstwhile.doors.asgi import Connection, GateRefusalError, Header, header_value, header_values

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_OWN_PAGES = ("same-origin", "none")
_METHODS = b"GET, HEAD, POST, PUT, PATCH, DELETE"
_SENT = (
    b"authorization, content-type, accept, if-match, if-none-match, idempotency-key, last-event-id,"
    b" mcp-session-id, mcp-protocol-version, mcp-method, mcp-name"
)
_SHOWN = b"etag, location, retry-after, mcp-session-id"


@dataclass(frozen=True, slots=True)
class Origins:
    """The names that the server answers to, and the web pages that may call it: none by default."""

    hosts: frozenset[str] = frozenset()
    pages: frozenset[str] = frozenset()

    def check(self, connection: Connection) -> None:
        """Refuse a request for another host, or of a web page that may not call."""
        hosts = {*self.hosts, *(f"{name}:{connection['server'][1]}" for name in LOOPBACK)}
        named = header_values(connection, b"host")
        if len(named) != 1 or named[0].lower() not in hosts:
            raise GateRefusalError(
                421,
                "refused",
                "this host name is not served here",
                "name it with --allow-host when the server is started",
            )
        origin = header_value(connection, b"origin")
        if origin is not None and origin in self.pages:
            return
        own = origin is None or origin.partition("://")[2].lower() in hosts
        site = header_value(connection, b"sec-fetch-site") or "none"
        if not own or site not in _OWN_PAGES:
            raise GateRefusalError(403, "refused", "requests of other web pages are refused")

    def is_preflight(self, connection: Connection) -> bool:
        """Return whether a browser asks if a page that is allowed may send a request."""
        return (
            connection["method"] == "OPTIONS"
            and header_value(connection, b"origin") in self.pages
            and header_value(connection, b"access-control-request-method") is not None
        )

    def headers(self, connection: Connection) -> list[Header]:
        """Return the headers that let a browser show the answer to the page that asked."""
        origin = header_value(connection, b"origin")
        if origin is None or origin not in self.pages:
            return [(b"vary", b"origin")] if self.pages else []
        allowed = [(b"access-control-allow-origin", origin.encode("latin-1")), (b"vary", b"origin")]
        if self.is_preflight(connection):
            return [
                *allowed,
                (b"access-control-allow-methods", _METHODS),
                (b"access-control-allow-headers", _SENT),
                (b"access-control-max-age", b"600"),
            ]
        return [*allowed, (b"access-control-expose-headers", _SHOWN)]


def allowed_origins(hosts: Collection[str], pages: Collection[str]) -> Origins:
    """Return the names and pages as they are compared. A pattern is refused: it allows too much."""
    for page in pages:
        scheme, _, host = page.partition("://")
        if scheme not in ("http", "https") or not host or set(host) & set("*/?#@ "):
            raise InvalidInputError(
                f"{page!r} is not an origin",
                remedy="give a scheme and a host, such as https://app.example, without a path",
            )
    return Origins(frozenset(each.lower() for each in hosts), frozenset(pages))
