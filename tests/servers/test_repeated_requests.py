"""Changes that a client sends again with their key: each is carried out once."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from unittest.mock import Mock

import pytest

import erstwhile
from erstwhile import Memory
from erstwhile.core.ports import Row
from erstwhile.operations.lease import MaintenanceLease
from erstwhile.storage.requests import KeyedAttempt
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import inside
from tests.servers.http_server import HttpServers


@pytest.fixture
def memory(clock: FakeClock) -> Iterator[Memory]:
    settings = erstwhile.Settings(tokenizer="estimate", embedder="none")
    with erstwhile.open(":memory:", settings=settings, clock=clock) as opened:
        yield opened


def test_a_repeated_change_is_carried_out_once(servers: HttpServers, memory: Memory) -> None:
    token, other = servers.token(memory), servers.token(memory)
    body, key = b'{"role": "user", "content": "hello"}', {"Idempotency-Key": "k1"}
    first = servers.ask("POST", "/v1/messages", key, body, token=token)
    again = servers.ask("POST", "/v1/messages", key, body, token=token)
    assert (first.status, first.body) == (200, again.body)
    assert memory.conversations.stats().messages == 1
    changed = servers.ask("POST", "/v1/messages", key, body[:-1] + b" }", token=token)
    assert (changed.status, changed.json["code"]) == (422, "invalid_input")
    servers.ask("POST", "/v1/messages", key, body, token=other)
    servers.ask("POST", "/v1/messages", {**key, "Erstwhile-User": "ana"}, body, token=token)
    assert memory.everything().conversations.stats().messages == 3


def test_a_refused_change_may_be_tried_again(servers: HttpServers, memory: Memory) -> None:
    token, key = servers.token(memory), {"Idempotency-Key": "k1"}
    asked = ("DELETE", "/v1/blocks/notes", key)
    assert servers.ask(*asked, token=token).status == 404
    memory.blocks.add("notes", "x")
    assert servers.ask(*asked, token=token).status == 200
    assert servers.ask(*asked, token=token).status == 200


def test_a_change_that_fails_after_its_first_step_may_be_tried_again(
    servers: HttpServers, memory: Memory
) -> None:
    """Its first transaction has stored the key, though the request was not carried out."""
    token, key = servers.token(memory), {"Idempotency-Key": "k1"}
    memory.maintain()
    with MaintenanceLease(inside(memory.everything())):
        busy = servers.ask("POST", "/v1/maintain", key, b"{}", token=token)
        assert (busy.status, busy.json["code"]) == (503, "busy")
        assert "another process maintains" in busy.json["detail"]
        again = servers.ask("POST", "/v1/maintain", key, b"{}", token=token)
        assert again.json["detail"] == busy.json["detail"]
    assert servers.ask("POST", "/v1/maintain", key, b"{}", token=token).status == 200


def test_many_tries_at_once_change_once(servers: HttpServers, memory: Memory) -> None:
    token, key = servers.token(memory), {"Idempotency-Key": "k1"}
    body = b'{"role": "user", "content": "hello"}'
    with ThreadPoolExecutor(6) as pool:
        tries = [
            pool.submit(servers.ask, "POST", "/v1/messages", key, body, token=token)
            for _ in range(6)
        ]
        answers = {each.result().body for each in tries if each.result().status == 200}
        assert {each.result().status for each in tries} <= {200, 409}
    assert len(answers) == 1
    assert memory.conversations.stats().messages == 1


def kept_answers(memory: Memory) -> list[Row]:
    return inside(memory).engine.read(lambda each: each.rows("SELECT answer FROM requests", {}))


def test_an_erasure_removes_kept_answers(servers: HttpServers, memory: Memory) -> None:
    token, key = servers.token(memory), {"Idempotency-Key": "k1"}
    body = b'{"text": "Quixle is the word"}'
    made = servers.ask("POST", "/v1/facts", key, body, token=token)
    assert "Quixle" in str(kept_answers(memory))
    memory.facts.erase(made.json["id"])
    assert kept_answers(memory) == [("",)]
    again = servers.ask("POST", "/v1/facts", key, body, token=token)
    assert (again.status, again.json["code"]) == (409, "conflict")
    assert memory.facts.count() == 0


@pytest.mark.parametrize("path", ["/v1/facts/erase", "/v1/erase_user"])
def test_a_repeated_erasure_gets_its_receipt(
    servers: HttpServers, memory: Memory, path: str
) -> None:
    """The receipt has ids and counts. It repeats nothing that was erased."""
    token, key = servers.token(memory), {"Idempotency-Key": "k1"}
    fact = memory.scoped(user="ana").remember("Quixle is the word", tags=["quixle"])
    headers = {**key, "Erstwhile-User": "ana"} if "facts" in path else key
    body = json.dumps({"ids": [fact.id]} if "facts" in path else {"user": "ana"}).encode()
    done, again = (servers.ask("POST", path, headers, body, token=token) for _ in range(2))
    assert (done.status, again.status, again.body) == (200, 200, done.body)
    assert fact.id in again.body.decode()
    assert "uixle" not in str(kept_answers(memory))


class CutShortError(Exception):
    """The process ends here."""


def cut_short(
    servers: HttpServers, asked: tuple[str, str, dict[str, str], bytes], token: str
) -> None:
    """Send a request whose server ends between the change and its kept answer."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(KeyedAttempt, "keep", Mock(side_effect=CutShortError))
        assert servers.ask(*asked, token=token).status == 500


def test_a_change_whose_answer_was_lost_is_told_to_be_stored(
    servers: HttpServers, memory: Memory, clock: FakeClock
) -> None:
    """For two minutes its process could still be at work; after that nobody is waited for."""
    token = servers.token(memory)
    asked = ("POST", "/v1/messages", {"Idempotency-Key": "k1"}, b'{"role":"user","content":"hi"}')
    cut_short(servers, asked, token)
    busy = servers.ask(*asked, token=token)
    assert (busy.status, busy.json["code"], busy.headers["retry-after"]) == (409, "busy", "1")
    clock.advance(minutes=3)
    told = servers.ask(*asked, token=token)
    assert (told.status, told.json["code"]) == (409, "conflict")
    assert "was carried out" in told.json["detail"]
    assert memory.conversations.stats().messages == 1


def test_an_erasure_that_was_cut_short_is_done_again(
    servers: HttpServers, memory: Memory, clock: FakeClock
) -> None:
    """It may have been in the middle, and can be repeated."""
    token, fact = servers.token(memory), memory.remember("Quixle is the word")
    body = json.dumps({"ids": [fact.id]}).encode()
    asked = ("POST", "/v1/facts/erase", {"Idempotency-Key": "k1"}, body)
    cut_short(servers, asked, token)
    assert servers.ask(*asked, token=token).status == 409
    clock.advance(minutes=3)
    done, again = (servers.ask(*asked, token=token) for _ in range(2))
    assert (done.status, done.json["ids"], again.body) == (200, [fact.id], done.body)
