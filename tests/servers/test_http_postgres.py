"""The HTTP API on PostgreSQL: the main verbs, repeated requests, and two spaces on one server."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import uuid4

import pytest

import erstwhile
from erstwhile import Memory
from erstwhile.testing.clock import FakeClock
from tests.servers.http_server import HttpServers
from tests.servers.test_http import (  # noqa: F401 (pytest collects them here, too)
    test_a_block_has_the_tag_of_its_version,
    test_a_client_remembers_and_recalls,
    test_an_agent_does_not_claim_to_be_a_person,
    test_an_async_client_has_the_same_surface,
    test_an_export_is_a_stream_that_can_be_imported,
    test_changes_are_told_and_resumed,
    test_errors_come_back_typed,
)
from tests.servers.test_repeated_requests import (  # noqa: F401 (same)
    test_a_change_whose_answer_was_lost_is_told_to_be_stored,
    test_a_refused_change_may_be_tried_again,
    test_a_repeated_change_is_carried_out_once,
    test_a_repeated_erasure_gets_its_receipt,
    test_an_erasure_that_was_cut_short_is_done_again,
    test_many_tries_at_once_change_once,
)


def opened(postgres: str, space: str, clock: FakeClock) -> Memory:
    settings = erstwhile.Settings(tokenizer="estimate", embedder="none", space=space)
    return erstwhile.open(postgres, settings=settings, clock=clock)


@pytest.fixture
def memory(postgres: str, space: str, clock: FakeClock) -> Iterator[Memory]:
    with opened(postgres, space, clock) as memory:
        yield memory


def test_a_key_counts_in_its_space_alone(
    servers: HttpServers, memory: Memory, postgres: str, clock: FakeClock
) -> None:
    body, key = b'{"text": "I like green tea"}', {"Idempotency-Key": "k1"}
    with opened(postgres, uuid4().hex, clock) as other:
        tokens = servers.token(memory), servers.token(other)
        for token in tokens:
            first, again = (
                servers.ask("POST", "/v1/facts", key, body, token=token) for _ in range(2)
            )
            assert (first.status, again.body) == (200, first.body)
        assert (memory.facts.count(), other.facts.count()) == (1, 1)
        [own] = memory.facts.list()
        assert servers.ask("GET", f"/v1/facts/{own.id}", token=tokens[0]).status == 200
        assert servers.ask("GET", f"/v1/facts/{own.id}", token=tokens[1]).status == 404
