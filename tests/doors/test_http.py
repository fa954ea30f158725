"""The HTTP API, and the client that speaks to it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import erstwhile
from erstwhile.doors.tokens import Right
from erstwhile.wire.verbs import LOCAL_VERBS, public_verbs, verbs
from tests.doors.http_server import HttpServer, http_server


@pytest.fixture
def served() -> Iterator[HttpServer]:
    settings = erstwhile.Settings(tokenizer="estimate", embedder="none")
    with erstwhile.open(":memory:", settings=settings) as memory, http_server(memory) as server:
        yield server


def test_every_public_verb_is_served_or_has_a_reason_not_to_be() -> None:
    assert set(public_verbs()) == {*verbs(), *LOCAL_VERBS}


def test_the_parameters_in_a_path_are_those_of_the_verb() -> None:
    for verb in verbs().values():
        assert set(verb.in_path) <= {
            name for name, each in verb.parameters.items() if each.required
        }


def test_a_client_remembers_and_recalls(served: HttpServer) -> None:
    with served.client() as memory:
        ana = memory.scoped(user="ana")
        fact = ana.remember("I like green tea", tags=["drinks"], metadata={"n": [1, None]})
        assert ana.facts.get(fact.id) == fact
        assert [hit.fact for hit in ana.recall("what tea?")] == [fact]
        assert memory.facts.count() == 0
        assert served.memory.scoped(user="ana").facts.get(fact.id) == fact


def test_errors_come_back_typed(served: HttpServer) -> None:
    with served.client() as memory:
        with pytest.raises(erstwhile.NotFoundError) as here:
            served.memory.facts.get("0" * 26)
        with pytest.raises(erstwhile.NotFoundError) as there:
            memory.facts.get("0" * 26)
        assert (here.value.message, here.value.remedy) == (there.value.message, there.value.remedy)


def test_a_token_that_only_reads_changes_nothing(served: HttpServer) -> None:
    with served.client(right=Right.READ) as memory:
        assert memory.facts.count() == 0
        with pytest.raises(erstwhile.RefusedError):
            memory.remember("x is y")
