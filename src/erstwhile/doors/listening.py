"""The port that a server listens at."""

from __future__ import annotations

import socket

from erstwhile.core.errors import InvalidInputError

_WAITING = 1024
"""The most connections that wait to be accepted."""


def listen_at(host: str, port: int) -> socket.socket:
    """Return the open port, with 0 any free one. Raise InvalidInputError if it cannot be opened.

    Connections inherit TCP_NODELAY from it. asyncio sets it only for sockets that name their
    protocol, which these do not; without it the end of an answer waits 40 ms for the client.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        opened = socket.create_server((host, port), family=family, backlog=_WAITING)
    except OSError as error:
        raise InvalidInputError(
            f"the server cannot listen at {host}, port {port}: {error.strerror}",
            remedy="give another --port",
        ) from None
    opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return opened
