"""The demo memory on both engines, served with its console to a browser."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from playwright.sync_api import Browser

import erstwhile
from erstwhile.servers.demo import fill_demo
from tests.servers.console.browser import BROWSER, Console, chromium, served


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    missing = pytest.mark.skipif(BROWSER is None, reason="no chromium here: apt install chromium")
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(missing)


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    with chromium() as running:
        yield running


@pytest.fixture(scope="session")
def demo_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a file with the demo memory, to be copied."""
    file = tmp_path_factory.mktemp("demo") / "demo.db"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ERSTWHILE_EMBEDDER", "none")
        fill_demo(str(file))
    return file


@pytest.fixture
def demo(demo_file: Path, tmp_path: Path) -> str:
    """Return the address of a demo memory in SQLite."""
    return str(shutil.copy(demo_file, tmp_path / "demo.db"))


@pytest.fixture
def demo_on_postgres(postgres: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the address of a demo memory in PostgreSQL, in a space of its own."""
    monkeypatch.setenv("ERSTWHILE_SPACE", uuid4().hex)
    fill_demo(postgres)
    return postgres


@pytest.fixture
def console(browser: Browser, demo: str, tmp_path: Path) -> Iterator[Console]:
    yield from _console(browser, demo, tmp_path)


@pytest.fixture(params=["sqlite", "postgres"])
def console_on_each(
    request: pytest.FixtureRequest, browser: Browser, tmp_path: Path
) -> Iterator[Console]:
    name = {"sqlite": "demo", "postgres": "demo_on_postgres"}[request.param]
    yield from _console(browser, request.getfixturevalue(name), tmp_path)


def _console(browser: Browser, location: str, folder: Path) -> Iterator[Console]:
    with (
        erstwhile.open(location, llm="none", learners=0) as memory,
        served(browser, memory, folder) as console,
    ):
        console.location = location
        yield console
        assert console.problems == []
