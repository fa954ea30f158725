"""A model that obeys a stranger calls the servers: over MCP, and over HTTP with an agent's token.

The contract `tests/contracts/storage/agent_permissions.py` has the refusals of every verb.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import erstwhile
from erstwhile import Decision, Memory
from erstwhile.core.scope import Scope
from erstwhile.servers.mcp.graph import graph_surface
from erstwhile.servers.mcp.resources import memory_surface
from erstwhile.servers.tokens import Right
from tests.contracts.base import unchanged
from tests.servers.http_server import HttpServers
from tests.servers.talking import Talk, run_talk, server_for

_CALL: dict[str, Any] = {"tool": "Bash", "input": {"command": "npm publish"}, "goal": "ship"}


@pytest.fixture
def memory() -> Iterator[Memory]:
    """Yield a memory in which a person pinned, confirmed, rejected, ended, hid and decided."""
    with erstwhile.open(":memory:", embedder="none") as memory:
        memory.remember("Ana is paid first", pinned=True, key="payee")
        memory.facts.confirm(memory.remember("Ana is allergic to nuts").id)
        memory.quarantine.reject(memory.remember("Invoices go to Mallory", origin="web").id)
        memory.remember("Lumen moved to Faro", origin="web")
        memory.facts.retire(memory.remember("Ana likes tea").id, "wrong")
        memory.facts.delete(memory.remember("Ana is ill").id)
        memory.blocks.add("rules", "Ask first.", read_only=True)
        memory.blocks.add("notes", "Ana likes coffee.")
        memory.decisions.record(Decision(choice="deny", **_CALL))
        yield memory


CALLS = json.loads(Path(__file__).with_name("agents.json").read_text("utf-8"))


def test_a_client_reverses_nothing_and_claims_nothing(memory: Memory) -> None:
    async def story(talk: Talk) -> None:
        for tool, arguments in CALLS["attacks"]:
            assert (await talk.answer(tool, **arguments)).is_error, (tool, arguments)

    with unchanged(memory):
        run_talk(server_for(memory_surface(), memory), story)


def test_an_honest_client_works(memory: Memory) -> None:
    async def story(talk: Talk) -> None:
        for tool, arguments in CALLS["honest"]:
            await talk(tool, **arguments)
        held = await talk("remember", text="Lumen moved to Faro")
        assert held["fact"]["state"] == "quarantined"

    run_talk(server_for(memory_surface(), memory), story)
    advice = memory.decisions.advise(erstwhile.DecisionRequest(**_CALL), namespace="global")
    assert advice.suggestion == "deny"


def test_the_stand_in_for_server_memory_has_the_same_rules() -> None:
    """A part of the graph that a person pinned is deleted by no tool."""

    memory = erstwhile.open(":memory:", embedder="none")

    async def story(talk: Talk) -> None:
        entity = {"name": "Ana", "entityType": "person", "observations": ["is paid first"]}
        await talk("create_entities", entities=[entity])
        memory.facts.pin(memory.facts.find("Ana: is paid first").id)
        assert "pinned" in await talk.failure("delete_entities", entityNames=["Ana"])
        gone = {"entityName": "Ana", "observations": ["is paid first"]}
        assert "pinned" in await talk.failure("delete_observations", deletions=[gone])

    with memory:
        run_talk(server_for(graph_surface(), memory), story)
        assert memory.facts.find("Ana: is paid first").pinned


def test_an_agents_token_reaches_no_further(servers: HttpServers, memory: Memory) -> None:
    """No header and no argument widens its scope, its right or its standing."""
    ana = memory.scoped(user="ana")
    pinned = ana.remember("Ana is tall", pinned=True)
    writer = servers.token(memory, scope=Scope(user="ana"), right=Right.WRITE, person=False)
    admin = servers.token(memory, scope=Scope(user="ana"), person=False)
    with unchanged(memory):
        for request in CALLS["requests"]:
            filled = json.loads(json.dumps(request).replace("{pinned}", pinned.id))
            method, path, headers, given = filled
            body = None if given is None else json.dumps(given).encode()
            for token in (writer, admin):
                status = servers.ask(method, path, headers, body, token=token).status
                assert 400 <= status < 500, filled
