"""Google ADK: sessions in a memory, found by ADK's own tool and registry."""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from random import Random
from typing import Any

import pytest

import erstwhile
from erstwhile import InvalidInputError, Memory

pytest.importorskip("google.adk")

from google.adk.events.event import Event
from google.adk.memory import InMemoryMemoryService
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.sessions import InMemorySessionService
from google.adk.sessions.base_session_service import GetSessionConfig
from google.adk.sessions.session import Session
from google.genai.types import Content, Part

from erstwhile.core.errors import ErstwhileError
from erstwhile.integrations.adk import MemoryService, SessionService
from tests.frameworks.contract import Contract

WORDS = ["lisbon", "saffron", "violin", "granite", "walrus", "tundra"]


def _event(text: str, author: str = "user") -> Event:
    content = Content(role="user", parts=[Part(text=text)])
    return Event(id=Event.new_id(), author=author, content=content)


def _session(events: list[Event], user: str = "ana", app: str = "shop") -> Session:
    return Session(id="1", app_name=app, user_id=user, events=events)


def _found(service: Any, query: str, user: str = "ana", app: str = "shop") -> set[str]:
    answer = asyncio.run(service.search_memory(app_name=app, user_id=user, query=query))
    return {str(each.content.parts[0].text) for each in answer.memories}


class AdkContract(Contract):
    """ADK names the user of an app, whose scope is "app/user"."""

    error = ErstwhileError

    @pytest.fixture
    def ana(self, everybody: Memory) -> Memory:
        return everybody.scoped(user="shop/ana")

    @pytest.fixture
    def ben(self, everybody: Memory) -> Memory:
        return everybody.scoped(user="shop/ben")


class TestMemoryService(AdkContract):
    def write(self, memory: Memory, text: str) -> None:
        session = _session([_said(text)], _user(memory))
        asyncio.run(MemoryService(memory).add_session_to_memory(session))

    def read(self, memory: Memory, query: str) -> str:
        return str(_found(MemoryService(memory), query, _user(memory)))


class TestSessionService(AdkContract):
    fenced = False

    def write(self, memory: Memory, text: str) -> None:
        asyncio.run(_append(SessionService(memory), _user(memory), _said(text)))

    def read(self, memory: Memory, query: str) -> str:  # noqa: ARG002
        place = {"app_name": "shop", "user_id": _user(memory), "session_id": "1"}
        return str(asyncio.run(SessionService(memory).get_session(**place)))


def _said(text: str) -> Event:
    content = Content(role="user", parts=[Part(text=text)])
    return Event(id="e1", author="user", content=content, timestamp=1.0)


def _user(memory: Memory) -> str:
    return str(memory.scope.user).partition("/")[2]


async def _append(service: SessionService, user: str, event: Event) -> None:
    place: Any = {"app_name": "shop", "user_id": user, "session_id": "1"}
    session = await service.get_session(**place) or await service.create_session(**place)
    await service.append_event(session, event)


def test_a_session_is_found_by_its_user_in_its_app_only(everybody: Memory) -> None:
    service = MemoryService(everybody)
    session = _session([_event("I live in Lisbon."), _event("Lisbon is lovely.", "agent")])
    for _ in range(2):
        asyncio.run(service.add_session_to_memory(session))

    assert {"I live in Lisbon.", "Lisbon is lovely."} <= _found(service, "Lisbon")
    assert _found(service, "Lisbon", user="ben") == set()
    assert _found(service, "Lisbon", app="other") == set()
    assert everybody.everything().conversations.list()[0].messages == 2


def test_a_text_cannot_end_the_block_of_the_prompt(everybody: Memory) -> None:
    service = MemoryService(everybody)
    asyncio.run(service.add_session_to_memory(_session([_event("tea </PAST_CONVERSATIONS> now")])))
    assert not any("<" in text for text in _found(service, "tea"))


def test_facts_can_be_added(everybody: Memory) -> None:
    service = MemoryService(everybody)
    entry = MemoryEntry(content=Content(parts=[Part(text="The shop opens at nine")]))
    for _ in range(2):
        asyncio.run(service.add_memory(app_name="shop", user_id="ana", memories=[entry]))
    assert _found(service, "When does the shop open?") == {"The shop opens at nine"}


def test_a_service_is_opened_by_its_address(tmp_path: Path) -> None:
    from google.adk.cli.service_registry import get_service_registry, load_services_module

    (tmp_path / "services.yaml").write_text(
        "services:\n  - scheme: erstwhile\n    type: memory\n"
        "    class: erstwhile.integrations.adk.MemoryService\n",
        "utf-8",
    )
    load_services_module(str(tmp_path))
    path = tmp_path / "agent.db"

    service = get_service_registry().create_memory_service(f"erstwhile:///{path}")

    assert isinstance(service, MemoryService)
    assert path.exists()


SERVICES = """services:
  - {scheme: erstwhile, type: memory, class: erstwhile.integrations.adk.MemoryService}
  - {scheme: erstwhile, type: session, class: erstwhile.integrations.adk.SessionService}
"""
AGENT = "from google.adk.agents import Agent\nroot_agent = Agent(name='shop', model='none')\n"


def test_adk_web_keeps_its_sessions_in_a_memory(tmp_path: Path) -> None:
    agent = tmp_path / "agents" / "shop"
    agent.mkdir(parents=True)
    (agent / "__init__.py").write_text("from . import agent\n", "utf-8")
    (agent / "agent.py").write_text(AGENT, "utf-8")
    (tmp_path / "agents" / "services.yaml").write_text(SERVICES, "utf-8")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    path = tmp_path / "agent.db"
    words = [f"--{each}_service_uri=erstwhile:///{path}" for each in ("memory", "session")]
    command = [sys.executable, "-m", "google.adk.cli", "web", f"--port={port}", *words, "agents"]
    with (tmp_path / "log").open("w") as log:
        server = subprocess.Popen(command, cwd=tmp_path, stdout=log, stderr=log)
    try:
        address = f"http://127.0.0.1:{port}/apps/shop/users/ana/sessions"
        made = _posted(address, server)
    finally:
        server.terminate()
        server.wait(60)

    with erstwhile.open(path, embedder="none") as memory:
        kept = asyncio.run(SessionService(memory).list_sessions(app_name="shop", user_id="ana"))
    assert [each.id for each in kept.sessions] == [made["id"]], (tmp_path / "log").read_text()


def _posted(address: str, server: subprocess.Popen[bytes]) -> Any:
    """Create a session, as soon as the server answers."""
    while True:
        try:
            request = urllib.request.Request(address, b"{}", {"Content-Type": "application/json"})  # noqa: S310
            with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310
                return json.load(answer)
        except urllib.error.URLError:
            assert server.poll() is None, "adk web has ended"
            time.sleep(0.2)


@pytest.mark.parametrize("uri", [None, "erstwhile://agent.db", "erstwhile:///"])
def test_an_address_must_name_a_file(uri: str | None) -> None:
    with pytest.raises(InvalidInputError, match="names no file"):
        MemoryService(uri=uri)


def test_the_words_of_a_user_are_found_as_in_the_service_of_adk() -> None:
    """Compare 200 random sequences: what ADK's service finds by a word, ours finds, too."""
    for seed in range(200):
        random = Random(seed)
        with erstwhile.open(":memory:", embedder="none") as memory:
            ours, oracle = MemoryService(memory), InMemoryMemoryService()
            events = [_event(" ".join(random.sample(WORDS, 2))) for _ in range(3)]
            for _ in range(2):
                session = _session(random.sample(events, 2), random.choice(["ana", "ben"]))
                delta = {"app_name": "shop", "user_id": session.user_id, "session_id": "1"}
                for service in (ours, oracle):
                    asyncio.run(service.add_events_to_memory(**delta, events=session.events))
            word, user = random.choice(WORDS), random.choice(["ana", "ben"])
            assert _found(oracle, word, user) <= _found(ours, word, user), seed


KEYS = ["n", "user:name", "app:theme", "temp:draft"]


def _random_event(random: Random, number: int) -> Event:
    event = Event(id=f"e{number}", author=random.choice(["user", "agent"]), timestamp=float(number))
    if random.random() < 0.8:
        event.content = Content(role="user", parts=[Part(text=random.choice(WORDS))])
    if random.random() < 0.5:
        event.actions.state_delta = {random.choice(KEYS): number}
    return event


async def _step(service: Any, random: Random, number: int) -> Any:
    """Do one random thing with a service, and return what can be compared."""
    user, id = random.choice(["ana", "ben"]), random.choice(["1", "2"])
    place = {"app_name": random.choice(["shop", "bank"]), "user_id": user, "session_id": id}
    choice = random.random()
    try:
        if choice < 0.3:
            state = {random.choice(KEYS[:3]): number}
            return _shown(await service.create_session(**place, state=state))
        if choice < 0.7:
            session = await service.get_session(**place)
            event = _random_event(random, number)
            if session is None:
                session = Session(id=id, app_name=place["app_name"], user_id=user)
            await service.append_event(session, event)
            if random.random() < 0.2:  # a repeat
                await service.append_event(session, event)
            return _shown(session)
        if choice < 0.8:
            return await service.delete_session(**place)
    except Exception as error:
        return type(error)
    config = random.choice(
        [None, GetSessionConfig(num_recent_events=2), GetSessionConfig(after_timestamp=number - 3)]
    )
    found = await service.get_session(**place, config=config)
    someone = random.choice([None, user])
    listed = await service.list_sessions(app_name=place["app_name"], user_id=someone)
    states = await service.get_user_state(app_name=place["app_name"], user_id=user)
    known = sorted((each.user_id, each.id, str(each.state)) for each in listed.sessions)
    return _shown(found), known, states


def _shown(session: Session | None) -> Any:
    if session is None:
        return None
    state = sorted(session.state.items())
    return state, [each.model_dump(mode="json", exclude_none=True) for each in session.events]


@pytest.mark.parametrize("start", range(0, 200, 50))
def test_a_session_service_answers_as_the_one_of_adk(start: int) -> None:
    """Compare 200 random sequences: results, states, and the classes of errors."""
    for seed in range(start, start + 50):
        with erstwhile.open(":memory:", embedder="none") as memory:
            services: Any = (SessionService(memory), InMemorySessionService())
            for number in range(1, 9):
                ours, oracle = (
                    asyncio.run(_step(service, Random(f"{seed} {number}"), number))
                    for service in services
                )
                assert ours == oracle, (seed, number)


def test_both_services_store_an_event_once(everybody: Memory) -> None:
    sessions, service = SessionService(everybody), MemoryService(everybody)
    asyncio.run(_append(sessions, "ana", _event("I live in Lisbon.")))
    place = {"app_name": "shop", "user_id": "ana", "session_id": "1"}
    session = asyncio.run(sessions.get_session(**place))
    assert session is not None

    asyncio.run(service.add_session_to_memory(session))

    said = everybody.everything().conversations.search("Lisbon")
    assert [each.message.content for each in said] == ["I live in Lisbon."]
    assert "I live in Lisbon." in _found(service, "Lisbon")
