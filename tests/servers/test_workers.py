"""The listening socket, and worker processes."""

from __future__ import annotations

import os
import signal
import socket

import pytest

from erstwhile import InvalidInputError
from erstwhile.servers.workers import Workers, listen


def test_a_worker_that_has_ended_already_does_not_disturb_the_end() -> None:
    """A signal may come after a worker was waited for, and before it is counted out."""
    workers = Workers(2, lambda: 0, patience=5, on_exit=lambda _: None)
    pid = os.fork()
    if not pid:
        os._exit(0)
    os.waitpid(pid, 0)
    workers._pids.add(pid)
    workers._end(signal.SIGTERM, None)
    assert workers._ending


def test_an_answer_is_not_held_back() -> None:
    """Without TCP_NODELAY each answer of two parts waits 40 ms for the client."""
    with (
        listen("127.0.0.1", 0) as listening,
        socket.create_connection(listening.getsockname()),
    ):
        accepted, _ = listening.accept()
        with accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_a_port_that_is_taken_is_told() -> None:
    with (
        listen("127.0.0.1", 0) as listening,
        pytest.raises(InvalidInputError, match="cannot listen"),
    ):
        listen("127.0.0.1", listening.getsockname()[1])
