"""Fixtures for the tests of adapters to servers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from erstwhile.adapters.embedders.http import HttpEmbedder
from tests.adapters.embedding_server import KEY, embedding_server
from tests.adapters.llm_server import llm_server
from tests.adapters.loopback import LoopbackServer


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "*")


@pytest.fixture(autouse=True)
def _nobodys_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for vendor in ("OPENAI", "ANTHROPIC"):
        monkeypatch.delenv(f"{vendor}_API_KEY", raising=False)
        monkeypatch.delenv(f"{vendor}_BASE_URL", raising=False)


@pytest.fixture
def server() -> Iterator[LoopbackServer]:
    with embedding_server() as running:
        yield running


@pytest.fixture
def llms() -> Iterator[LoopbackServer]:
    with llm_server() as running:
        yield running


@pytest.fixture
def pauses() -> list[float]:
    """Return the seconds that the embedder `remote` would have waited, one entry per wait."""
    return []


@pytest.fixture
def remote(server: LoopbackServer, pauses: list[float]) -> HttpEmbedder:
    return HttpEmbedder(server.url, "test-model", KEY, pause=pauses.append)
