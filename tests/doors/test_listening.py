"""The port of a server."""

from __future__ import annotations

import socket

import pytest

from erstwhile import InvalidInputError
from erstwhile.doors.listening import listen_at


def test_an_answer_is_not_held_back() -> None:
    """Without TCP_NODELAY each answer of two parts waits 40 ms for the client."""
    with (
        listen_at("127.0.0.1", 0) as listening,
        socket.create_connection(listening.getsockname()),
    ):
        accepted, _ = listening.accept()
        with accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_a_port_that_is_taken_is_told() -> None:
    with (
        listen_at("127.0.0.1", 0) as listening,
        pytest.raises(InvalidInputError, match="cannot listen"),
    ):
        listen_at("127.0.0.1", listening.getsockname()[1])
