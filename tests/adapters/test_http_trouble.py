"""The embedder behind a server that is down, slow, busy, broken or somewhere else."""

from __future__ import annotations

import socket
from collections.abc import Callable
from itertools import pairwise

import pytest

from erstwhile.adapters.embedders import http
from erstwhile.adapters.embedders.http import TRIES, HttpEmbedder
from erstwhile.adapters.http_common import MAX_PAUSE, retry_after
from erstwhile.core.errors import EmbedderError
from tests.adapters.embedding_server import DIMENSIONS, embedding_server
from tests.adapters.loopback import (
    Answer,
    LoopbackServer,
    hanging_up,
    in_seconds,
    saying,
    truncated,
)
from tests.cases import cases

CASES = cases(__file__)

TROUBLE = saying("{}", status=500)


@pytest.mark.parametrize(
    "trouble",
    [
        saying("{}", status=500),
        saying("Bad gateway", status=502),
        saying("{}", status=503),
        saying("{}", status=429),
        saying("{}", status=408),
        truncated,
        hanging_up,
    ],
)
def test_what_may_pass_is_tried_again(
    server: LoopbackServer, remote: HttpEmbedder, pauses: list[float], trouble: Answer
) -> None:
    server.script.extend([trouble] * (TRIES - 1))
    assert remote.embed(["Ana"]).shape == (1, DIMENSIONS)
    assert len(server.seen) == TRIES
    assert all(0 < before < after for before, after in pairwise(pauses))


def test_patience_ends(server: LoopbackServer, remote: HttpEmbedder, pauses: list[float]) -> None:
    server.script.extend([TROUBLE] * 99)
    with pytest.raises(EmbedderError, match="500"):
        remote.embed(["Ana"])
    assert len(server.seen) == TRIES
    assert len(pauses) == TRIES - 1


def test_a_question_is_tried_once(
    server: LoopbackServer, remote: HttpEmbedder, pauses: list[float]
) -> None:
    server.script.append(TROUBLE)
    with pytest.raises(EmbedderError):
        remote.embed(["Who?"], query=True)
    assert len(server.seen) == 1
    assert not pauses


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422])
def test_a_wrong_request_is_not_retried(
    server: LoopbackServer, remote: HttpEmbedder, status: int
) -> None:
    server.script.append(saying('{"error": {"message": "no such\\nmodel"}}', status=status))
    with pytest.raises(EmbedderError, match=rf"{status} \(no such model\): check"):
        remote.embed(["Ana"])
    assert len(server.seen) == 1


@pytest.mark.parametrize("body", ["<html>", "[]", "7", '{"error": {}}', '{"detail": [1]}', "["])
def test_an_error_may_have_no_message(
    server: LoopbackServer, remote: HttpEmbedder, body: str
) -> None:
    server.script.append(saying(body, status=400))
    with pytest.raises(EmbedderError, match="answered 400: check"):
        remote.embed(["Ana"])


@pytest.mark.parametrize("header", [lambda: "7", lambda: in_seconds(8)], ids=["seconds", "date"])
def test_retry_after_is_honoured(
    server: LoopbackServer,
    remote: HttpEmbedder,
    pauses: list[float],
    header: Callable[[], str],
) -> None:
    server.script.append(saying("{}", status=429, Retry_After=header()))
    remote.embed(["Ana"])
    assert len(pauses) == 1
    assert 5 < pauses[0] < 10


def test_a_long_pause_is_refused(
    server: LoopbackServer, remote: HttpEmbedder, pauses: list[float]
) -> None:
    """The error says when to retry; no thread waits until then."""
    asked = int(MAX_PAUSE) + 60
    server.script.append(saying("{}", status=503, Retry_After=str(asked)))
    with pytest.raises(EmbedderError) as caught:
        remote.embed(["Ana"])
    assert caught.value.retry_after == asked
    assert not pauses


@pytest.mark.parametrize(("header", "seconds"), CASES["retry_after_is_read_with_care"])
def test_retry_after_is_read_with_care(header: str | None, seconds: float | None) -> None:
    assert retry_after(header) == seconds


def test_a_server_that_is_down_is_an_embedder_error(pauses: list[float]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    embedder = HttpEmbedder(f"http://127.0.0.1:{port}/v1", "test-model", pause=pauses.append)
    with pytest.raises(EmbedderError, match=rf"127\.0\.0\.1:{port}.*does not answer") as caught:
        embedder.embed(["Ana"])
    assert "check that the server runs" in caught.value.remedy
    assert len(pauses) == TRIES - 1


@pytest.mark.parametrize("how", ["slowly", "dripping"])
def test_a_server_that_is_slow_is_an_embedder_error(
    server: LoopbackServer, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    monkeypatch.setattr(http, "TIMEOUT", 0.2)
    server.script.append(getattr(server, how))
    with pytest.raises(EmbedderError, match="timed out"):
        HttpEmbedder(server.url, "test-model").embed(["Ana"], query=True)


def test_a_slow_answer_is_asked_for_again(
    server: LoopbackServer, monkeypatch: pytest.MonkeyPatch, pauses: list[float]
) -> None:
    monkeypatch.setattr(http, "TIMEOUT", 0.5)
    server.script.append(server.slowly)
    embedder = HttpEmbedder(server.url, "test-model", pause=pauses.append)
    assert embedder.embed(["Ana"]).shape == (1, DIMENSIONS)
    assert len(pauses) == 1


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(
    server: LoopbackServer, remote: HttpEmbedder, status: int
) -> None:
    with embedding_server() as other:
        target = f"{other.url}/embeddings?token=hidden"
        server.script.append(saying("", status=status, Location=target))
        with pytest.raises(EmbedderError, match=r"redirects to http://127\.0\.0\.1") as caught:
            remote.embed(["Ana"])
        assert not other.seen
    assert "hidden" not in str(caught.value)
    assert len(server.seen) == 1


@pytest.mark.parametrize("target", ["", "/elsewhere", "http://[broken", "file:///etc/passwd"])
def test_a_wrong_redirect_is_an_error(
    server: LoopbackServer, remote: HttpEmbedder, target: str
) -> None:
    server.script.append(saying("", status=302, Location=target))
    with pytest.raises(EmbedderError, match="redirects"):
        remote.embed(["Ana"])
