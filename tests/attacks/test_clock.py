"""One process with a wrong clock: nothing vanishes, changes are refused, a command repairs it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import erstwhile
from erstwhile.bootstrap import assemble
from erstwhile.core.scope import Viewer
from erstwhile.core.settings import Settings
from erstwhile.engines.sqlite.engine import SqliteEngine
from erstwhile.testing.clock import FakeClock
from tests.cli.shell import run

PLAIN = Settings(embedder="none")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return a memory in which bob wrote with a clock that is ten years ahead."""
    place = tmp_path / "memory.db"
    with erstwhile.open(place, settings=PLAIN) as memory:
        memory.scoped(user="ana").remember("Ana likes tea")
    clock = FakeClock(datetime.now(UTC) + timedelta(days=3_650))
    with assemble(SqliteEngine(str(place)), clock, Viewer()) as ahead:
        ahead.scoped(user="bob").remember("Bob has a wrong clock")
    return place


def test_others_read_and_a_change_is_refused_with_the_remedy(file: Path) -> None:
    told = run("--db", str(file), "--user", "ana", "facts", "list")
    assert [each["text"] for each in told.items] == ["Ana likes tea"]
    refused = run("--db", str(file), "--user", "ana", "remember", "Ana likes milk")
    assert refused.code
    assert "repair" in refused.error["remedy"]


def test_a_command_repairs_the_times(file: Path) -> None:
    repair = ("--db", str(file), "--everything", "audit", "repair-time")
    assert run(*repair, "--preview").data["entries"] == 1
    assert run(*repair, "--yes").code == 0
    assert run("--db", str(file), "--user", "ana", "remember", "Ana likes milk").code == 0
    with erstwhile.open(file, settings=PLAIN) as memory:
        assert memory.everything().audit.verify().ok
        [fact] = memory.scoped(user="bob").facts.list()
        assert fact.recorded_at <= datetime.now(UTC)


@pytest.mark.parametrize("told", ["2026-01-02 03:04", datetime(2026, 1, 2, 3, 4)])  # noqa: DTZ001
def test_times_without_a_zone_mean_the_same(told: str | datetime) -> None:
    with erstwhile.open(":memory:", settings=PLAIN) as memory:
        fact = memory.remember("Ana likes tea", valid_from=told)
    assert fact.valid_from == datetime(2026, 1, 2, 3, 4, tzinfo=UTC)
