"""The contracts of isolation over HTTP: they call each verb through a client of a server.

Client and server come from one table of verbs. So one call of each verb, the errors and the
isolation of callers show that a verb travels; what a verb does is tested without a server.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from erstwhile.core.ports import Engine
from erstwhile.core.scope import Viewer
from erstwhile.engines.sqlite.engine import SqliteEngine
from erstwhile.memory import Memory
from erstwhile.testing.clock import FakeClock
from tests import contracts
from tests.contracts.storage import isolation
from tests.servers.http_server import HttpServers

MAKERS = ("assemble", "embedding_memory")
"""The functions that create memories in contracts."""


@pytest.fixture
def engine(empty_file: Path) -> Iterator[Engine]:
    engine = SqliteEngine(empty_file, synchronous="NORMAL")
    yield engine
    engine.close()


class OverHttp:
    """Puts a server between a contract and each memory that the contract creates."""

    @pytest.fixture(autouse=True)
    def over_http(self, servers: HttpServers, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
        for name, module in sys.modules.copy().items():
            if name.startswith("tests.contracts."):
                _serve_memories(servers, module, monkeypatch)
        yield
        servers.forget()


def _serve_memories(servers: HttpServers, module: object, monkeypatch: pytest.MonkeyPatch) -> None:
    for maker in MAKERS:
        if make := getattr(module, maker, None):
            monkeypatch.setattr(module, maker, _served(servers, make))
    if hasattr(module, "inside"):
        monkeypatch.setattr(module, "inside", servers.inside)


def _served(servers: HttpServers, make: Callable[..., Memory]) -> Callable[..., Memory]:
    return lambda *args, **kwargs: servers.client(make(*args, **kwargs))


class ByWords(OverHttp):
    """Searches by words alone: search by meaning is isolated without a server."""

    @pytest.fixture
    def memory(self, engine: Engine, clock: FakeClock) -> Memory:
        assemble: Callable[..., Memory] = vars(isolation)["assemble"]
        return assemble(engine, clock, Viewer())


globals().update(
    {
        name: type(
            name,
            (ByWords if name == "TestIsolation" else OverHttp, *each.__bases__),
            dict(vars(each)),
        )
        for name, each in contracts.classes(
            input_checks=False, only=("storage/isolation", "storage/chosen_ids")
        ).items()
    }
)
