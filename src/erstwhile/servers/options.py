"""Settings of a server. The command line loads them without the packages of the extra `serve`."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from erstwhile.core.errors import InvalidInputError

JSON = "application/json"
LINES = "application/x-ndjson"
EVENTS = "text/event-stream"
"""Media types."""
TOKEN = "erstwhile.token"  # noqa: S105 (the name of a field)
"""Key of the Token in the ASGI scope of a request."""
MEMORY = "erstwhile.memory"
"""Key of the Memory in the ASGI scope of a request; it has the scope of the token."""
THREADS = "erstwhile.threads"
"""Key of the RunOnThread of the token in the ASGI scope of a request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The limits of a server."""

    body_bytes: int = 4 * 1024 * 1024
    body_seconds: float = 30.0
    """Seconds to receive the whole body of a request, or the next part of an import."""
    head_seconds: float = 10.0
    """Seconds to receive the head of a request."""
    a_second: float = 100.0
    """Requests a second with one token; 0 for any number."""
    burst: float = 10.0
    """Seconds' worth of requests that may come at once."""
    at_once: int = 200
    """Concurrent requests. Event streams do not count."""
    at_once_of_token: int = 50
    """Concurrent requests with one token, also those whose bodies are still coming."""
    threads_of_token: int = 4
    """Concurrent calls of one token. Others wait."""
    heavy_of_token: int = 2
    """Concurrent heavy calls of one token, such as searches, besides the others."""
    streams: int = 100
    """Concurrent event streams."""
    streams_of_token: int = 20
    """Concurrent event streams of one token."""
    sessions_of_token: int = 50
    """Concurrent MCP sessions of one token. The oldest one is ended for a new one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerOptions:
    """Host names, CORS origins, limits and processes of a server."""

    hosts: Collection[str] = ()
    """Host names to answer to, besides those of the loopback interface."""
    origins: Collection[str] = ()
    """Origins of web pages that may call the server."""
    limits: Limits = field(default_factory=Limits)
    workers: int = 1
    grace: int = 5
    """Seconds to finish requests at shutdown."""
    open_metrics: bool = False
    """Whether `/metrics` needs no token."""

    def __post_init__(self) -> None:
        """Reject patterns: an origin is a scheme and a host."""
        for origin in self.origins:
            scheme, _, host = origin.partition("://")
            if scheme not in ("http", "https") or not host or set(host) & set("*/?#@ "):
                raise InvalidInputError(
                    f"{origin!r} is not an origin",
                    remedy="give a scheme and a host, such as https://app.example, without a path",
                )
