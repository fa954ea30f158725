"""Processes that crash."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import erstwhile
from tests.engines.processes import finish, start

AFTER_EACH_STEP = [[], ["one"], ["one", "two"], ["two"], ["three", "two"]]


@pytest.mark.parametrize("what", ["statement", "write"])
def test_a_crash_at_any_point_leaves_a_file_that_opens(tmp_path: Path, what: str) -> None:
    """From the first opening to an erasure: each step is stored as a whole or not at all."""
    places = [json.loads(line) for line in finish(start("crash", tmp_path, what))]
    assert {0, 1, 2, 3} <= {place["acknowledged"] for place in places}
    assert len(places) > 50
    for place in places:
        steps = place["acknowledged"]
        assert place["holds"] in AFTER_EACH_STEP[steps : steps + 2]
        assert place["problems"] == []


def test_a_killed_writer_loses_no_acknowledged_write(tmp_path: Path) -> None:
    """Several times on one file, each killed without cleaning up."""
    file = tmp_path / "memory.db"
    acknowledged: set[str] = set()
    for attempt in range(8):
        writer = start("remember", file, "FULL", 100_000, f"attempt {attempt} says {{n}}")
        assert writer.stdin is not None
        assert writer.stdout is not None
        writer.stdin.write("\n")
        writer.stdin.flush()
        told = [writer.stdout.readline() for _ in range(20 + 7 * attempt)]
        writer.kill()
        told += writer.communicate(timeout=60)[0].splitlines(keepends=True)
        acknowledged |= {line.strip() for line in told[1:] if line.endswith("\n")}
        with erstwhile.open(file) as memory:
            assert all(memory.facts.get(id).id == id for id in acknowledged)
            assert memory.audit.verify().ok
    assert len(acknowledged) > 300
