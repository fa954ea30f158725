"""An export that several tests read."""

from __future__ import annotations

from pathlib import Path

import pytest

import erstwhile
from erstwhile.testing.clock import FakeClock
from tests.contracts.storage.whole_life import live


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the export of a memory with records in every table."""
    folder = tmp_path_factory.mktemp("exported")
    with erstwhile.open(folder / "a.db", embedder="hashing", clock=FakeClock()) as memory:
        live(memory.scoped(user="ana"), "marigold")
        memory.identities.link("anita", "ana")
        memory.remember("shared with everybody")
        memory.scoped(user="ana", agent="bot").remember("for one agent")
        memory.flush()
    erstwhile.export(folder / "a.db", folder / "a.jsonl", vectors=True)
    return folder / "a.jsonl"
