"""What the tests of embedders share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from recollect.adapters.embed.http import HttpEmbedder
from tests.adapters.embedding_server import KEY, EmbeddingServer


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "*")


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    with EmbeddingServer() as running:
        yield running


@pytest.fixture
def pauses() -> list[float]:
    """How long the embedder `remote` would have waited, each time."""
    return []


@pytest.fixture
def remote(server: EmbeddingServer, pauses: list[float]) -> HttpEmbedder:
    return HttpEmbedder(server.url, "test-model", KEY, pause=pauses.append)
