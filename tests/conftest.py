"""Settings of all tests: no configuration of the user, and the same examples in every run."""

from __future__ import annotations

import os
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

import pytest
from hypothesis import Phase, settings

import erstwhile
from erstwhile import Memory
from erstwhile.engines.sqlite.engine import SqliteEngine
from tests.engines.postgres.server import shared_url

if TYPE_CHECKING:
    from tests.servers.http_server import HttpServers

# Before the contracts are imported, so that a failing assertion shows its values.
pytest.register_assert_rewrite("tests.contracts")

SLOW = (
    "adapters/test_universal.py",
    "attacks/test_postgres_walls.py",
    "cli/test_demo.py",
    "contracts/test_http.py",
    "contracts/test_postgres.py",
    "contracts/test_random_lives.py",
    "contracts/test_space.py",
    "contracts/test_sqlite_file.py",
    "docs/test_pages.py",
    "docs/test_chatbot.py",
    "servers/console",
    "servers/test_http_document.py",
    "servers/test_http_postgres.py",
    "servers/test_mcp_conformance.py",
    "servers/test_mcp_stdio.py",
    "servers/test_deployment.py",
    "servers/test_serve.py",
    "engines",
    "learning/test_crash.py",
    "learning/test_over_http.py",
    "operations",
    "property",
    "recall",
    "reliability",
    "test_wheel.py",
)
"""Tests with processes, servers, real models or many examples: folders and files below `tests`."""
LONG = (
    "contracts/test_random_lives.py",
    "contracts/test_space.py",
    "servers/console/test_at_scale.py",
    "servers/test_mcp_conformance.py",
    "reliability",
)
"""Slow tests that only --long runs."""
NOT_QUICK = (
    "adapters",
    "attacks",
    "bench",
    "cli",
    "core/test_background.py",
    "learning/test_background.py",
    "learning/test_daily_limit.py",
    "learning/test_several_learners.py",
    "learning/test_watch.py",
    "regexes",
    "secrets",
    "servers",
    *SLOW,
)
"""Left out by --quick: also attacks, commands, loopback servers, threads that learn."""

settings.register_profile(
    "shrinking", derandomize=True, deadline=None, database=None, max_examples=40
)
# A property that fails shows its first example. Shrinking it may take minutes: name the profile.
settings.register_profile(
    "repeatable", settings.get_profile("shrinking"), phases=[Phase.explicit, Phase.generate]
)
settings.load_profile("repeatable")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--quick", action="store_true", help="run the inner loop, under a minute")
    parser.addoption("--not-slow", action="store_true", help="leave out the slow tests")
    parser.addoption("--slow", action="store_true", help="run only the slow tests")
    parser.addoption("--from-wheel", action="store_true", help="refuse to test src")
    parser.addoption("--long", action="store_true", help="with --slow: run the long ones, too")


def pytest_configure(config: pytest.Config) -> None:
    installed = Path(sysconfig.get_path("purelib")) in Path(erstwhile.__file__).parents
    if config.getoption("--from-wheel") and not installed:
        raise pytest.UsageError(f"{erstwhile.__file__} is not from the wheel")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    if config.getoption("--quick") or config.getoption("--not-slow"):
        return is_in(NOT_QUICK if config.getoption("--quick") else SLOW, collection_path) or None
    if config.getoption("--slow") and collection_path.is_file():
        return None if is_in(SLOW, collection_path) else True
    return None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the long tests out of a run of slow ones, unless they are wanted."""
    if not config.getoption("--slow") or config.getoption("--long"):
        return
    long = {item for item in items if is_in(LONG, item.path)}
    config.hook.pytest_deselected(items=[*long])
    items[:] = [item for item in items if item not in long]


def is_in(names: tuple[str, ...], path: Path) -> bool:
    """Return whether a path is one of these files and folders below `tests`, or in one."""
    places = [Path(__file__).parent / name for name in names]
    return any(path == place or place in path.parents for place in places)


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    if config.getoption("--quick"):
        left_out = ", ".join(NOT_QUICK)
        terminalreporter.write_line(f"Left out by --quick: {left_out}")


@pytest.fixture(scope="session")
def empty_config(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("settings") / "config.toml"
    file.touch()
    return file


@pytest.fixture(scope="session")
def weights_cache(pytestconfig: pytest.Config) -> Path:
    """Return a folder that stays between runs, so that a model is unpacked once."""
    return Path(pytestconfig.rootpath, ".pytest_cache", "weights")


@pytest.fixture(autouse=True)
def nobodys_settings(
    monkeypatch: pytest.MonkeyPatch, empty_config: Path, weights_cache: Path
) -> None:
    """Keep tests from reading the settings of the user, and from loading a model by default."""
    for name in os.environ:
        if name.startswith("ERSTWHILE_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("ERSTWHILE_CONFIG", str(empty_config))
    monkeypatch.setenv("ERSTWHILE_CACHE", str(weights_cache))
    monkeypatch.setenv("ERSTWHILE_EMBEDDER", "none")


@pytest.fixture(scope="session")
def postgres() -> str:
    """Return the address of a PostgreSQL server. Start one if there is none; skip no test."""
    return shared_url()


@pytest.fixture(scope="session")
def empty_memory(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Return the bytes of a memory without records: making its tables takes longer than copying."""
    place = tmp_path_factory.mktemp("empty") / "memory.db"
    SqliteEngine(place).close()
    return place.read_bytes()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return the path of a memory that does not exist yet."""
    return tmp_path / "memory.db"


@pytest.fixture(params=["file", "memory"])
def location(request: pytest.FixtureRequest, file: Path) -> str:
    return ":memory:" if request.param == "memory" else str(file)


@pytest.fixture
def empty_file(tmp_path: Path, empty_memory: bytes) -> Path:
    """Return the file of a memory without records."""
    place = tmp_path / "memory.db"
    place.write_bytes(empty_memory)
    return place


@pytest.fixture
def whole_memory() -> Iterator[Memory]:
    """Yield a memory without a scope, for tests that serve it."""
    chosen = erstwhile.Settings(tokenizer="estimate", embedder="none")
    with erstwhile.open(":memory:", settings=chosen) as opened:
        yield opened


@pytest.fixture(scope="module")
def servers() -> Iterator[HttpServers]:
    """Yield a running server for the memories of a module."""
    from tests.servers.http_server import http_servers  # slow to load, and few tests need it

    with http_servers() as running:
        yield running


@pytest.fixture
def space() -> str:
    """Return the name of a space that no other test uses."""
    return uuid4().hex
