"""What a client does if the server fails: it repeats what can be repeated, and tells the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TypeAlias

import httpx2
import pytest

import erstwhile
from erstwhile import Memory
from erstwhile.client import memory as client_memory

Step: TypeAlias = httpx2.Response | type[httpx2.TransportError]
Failing: TypeAlias = Callable[..., Memory]
ABOUT = {"scope": {"user": None, "agent": None, "project": None, "session": None}}
BUSY = {"code": "busy", "detail": "the store is busy", "remedy": "try again"}
CUT, GONE = httpx2.RemoteProtocolError, httpx2.ConnectError
"""The server hangs up after it has read the request; it is not there any more."""
requests = list[httpx2.Request]()


def said(status: int, value: object, **headers: str) -> httpx2.Response:
    return httpx2.Response(status, json=value, headers=headers)


def keys() -> list[str]:
    """Return the idempotency keys of the requests."""
    return [each.headers["idempotency-key"] for each in requests if each.method != "GET"]


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> Iterator[Failing]:
    """Return a function that opens a memory on a server that follows a script, once."""
    steps = list[Step]()

    def answer(request: httpx2.Request) -> httpx2.Response:
        requests.append(request)
        step = steps.pop(0)
        if isinstance(step, type):
            raise step("")
        return step

    def opened(*script: Step) -> Memory:
        steps.extend([said(200, ABOUT), *script])
        return erstwhile.open("http://127.0.0.1:9", token="token")  # noqa: S106

    requests.clear()
    client = partial(httpx2.Client, transport=httpx2.MockTransport(answer))
    monkeypatch.setattr(client_memory.httpx2, "Client", client)
    monkeypatch.setattr(client_memory, "backoff", lambda _attempt: 0.01)
    yield opened
    assert not steps


def test_a_question_is_asked_again(failing: Failing) -> None:
    memory = failing(CUT, said(503, BUSY), said(502, "proxy"), said(200, 7))
    assert memory.facts.count() == 7
    assert len(requests) == 5
    assert not keys()


def test_a_change_is_sent_again_with_its_key(failing: Failing) -> None:
    busy = said(429, BUSY, **{"Retry-After": "0"})
    assert failing(CUT, said(409, BUSY), busy, said(200, 3)).sessions.clear() == 3
    assert len(keys()) == 4
    assert len(set(keys())) == 1


def test_an_answer_that_says_no_is_not_asked_for_again(failing: Failing) -> None:
    wrong = {"code": "invalid_input", "detail": "no", "remedy": ""}
    with pytest.raises(erstwhile.InvalidInputError):
        failing(said(422, wrong)).sessions.clear()
    assert len(keys()) == 1


@pytest.mark.parametrize(
    ("script", "error"),
    [
        ([CUT] * 4, erstwhile.UncertainError),
        ([CUT, said(503, BUSY), said(503, BUSY), said(409, BUSY)], erstwhile.UncertainError),
        ([CUT, GONE, GONE, GONE], erstwhile.UncertainError),
        ([said(503, BUSY)] * 4, erstwhile.BusyError),
    ],
)
def test_a_change_is_uncertain_if_one_attempt_has_no_answer(
    failing: Failing, script: list[Step], error: type[Exception]
) -> None:
    """However the other attempts fail: that one may have been carried out."""
    with pytest.raises(error):
        failing(*script).sessions.clear()


def test_a_question_without_an_answer_leaves_no_doubt(failing: Failing) -> None:
    with pytest.raises(erstwhile.UnavailableError):
        failing(CUT, GONE, GONE, GONE).facts.count()


def test_a_redirect_is_not_followed(failing: Failing) -> None:
    """It could lead the token anywhere."""
    moved = said(307, {}, Location="http://127.0.0.1:9/v1/facts/count")
    with pytest.raises(erstwhile.ErstwhileError, match="307"):
        failing(moved).facts.count()
    assert len(requests) == 2


def test_an_answer_that_is_no_json_is_told(failing: Failing) -> None:
    with pytest.raises(erstwhile.ErstwhileError):
        failing(said(200, None)).facts.count()
