"""Writers that are killed, on both engines."""

from __future__ import annotations

from pathlib import Path

import erstwhile
from tests.engines.postgres.server import shared_url
from tests.engines.processes import outcome
from tests.reliability.kills import REPEATED, Kills, compare, opened
from tests.reliability.scratch import scratch


def test_a_killed_writer_loses_no_acknowledged_change() -> None:
    with scratch() as folder:
        found = Kills(**outcome("tests.reliability.kills", folder / "memory.db", "main", 12, 1))
    assert found.acknowledged > 12
    assert (found.kills, found.lost, found.unsound) == (16, 0, [])


def test_a_killed_client_of_a_server_loses_no_acknowledged_change() -> None:
    found = Kills(**outcome("tests.reliability.kills", shared_url(), "killed", 3, 1))
    assert found.acknowledged > 3
    assert (found.kills, found.lost, found.unsound) == (7, 0, [])


def test_a_loss_is_seen(tmp_path: Path) -> None:
    file = str(tmp_path / "memory.db")
    with opened(file, "main") as memory:
        memory.blocks.add("log", "line")
        memory.remember("fact")
        assert isinstance(memory.remember(REPEATED), erstwhile.Fact)
    assert compare(file, "main", ["fact fact", "line line", "same x"]).lost == 0
    assert compare(file, "main", ["fact gone", "line gone", "same x", "same y"]).lost == 3
