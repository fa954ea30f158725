"""Workers in several processes on one file: each task is done exactly once."""

from __future__ import annotations

import shutil
import signal
import subprocess
from collections import Counter
from pathlib import Path

import pytest

import erstwhile
from tests.engines.processes import begun_together, together

TASKS, WORKERS = 1_000, 8


@pytest.fixture(scope="module")
def due(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Create a memory in which four users have due tasks, some of them recurring."""
    place = tmp_path_factory.mktemp("due") / "memory.db"
    settings = erstwhile.Settings(synchronous="NORMAL", embedder="none")
    with erstwhile.open(place, settings=settings) as memory:
        for number in range(TASKS):
            tasks = memory.scoped(user=f"user {number % 4}").tasks
            tasks.add(f"task {number}", recurrence="yearly" if number % 10 == 0 else None)
    return place


@pytest.fixture
def file(tmp_path: Path, due: Path) -> Path:
    """Return a copy of that memory."""
    return Path(shutil.copy(due, tmp_path))


def test_eight_workers_do_1000_tasks_once_each(file: Path) -> None:
    """No task is started by two workers, and none is left over."""
    each = [(file, f"worker {number}", 0, 0) for number in range(WORKERS)]
    printed = together("work", *each)
    done = [line for lines in printed for line in lines if line.startswith("done ")]
    begun = [line for lines in printed for line in lines if not line.startswith("done ")]
    assert len(done) == len(set(done)) == len(begun) == len(set(begun)) == TASKS
    assert ended(file) == {("completed",): TASKS}


def test_workers_that_are_killed_lose_nothing_and_nothing_is_completed_twice(file: Path) -> None:
    """Some die during their work, others are killed at any time (kill -9).

    What they leave behind is free when their leases have run out, and not before. No test waits for
    that: the last workers have clocks that are ahead.
    """
    told = killed(file)
    together("work", *((file, f"second {number}", 0, 0) for number in range(WORKERS)))
    left = {id for id, runs in attempts(file).items() if runs == ("running",)}
    assert len(left) >= WORKERS // 2  # at least one each that died with tasks in its hands
    assert not left & told
    printed = together("work", *((file, f"third {number}", 2, 0) for number in range(WORKERS)))
    found = [line for lines in printed for line in lines if not line.startswith("done ")]
    assert sorted(found) == sorted(left)
    assert ended(file) == {
        ("completed",): TASKS - len(left),
        ("completed", "expired"): len(left),
    }


def killed(file: Path) -> set[str]:
    """Run the first workers, kill them all, and return the tasks they completed."""
    lines: list[str] = []
    # By themselves, so that there is work for each of them up to its death.
    for process in begun_together("work", *((file, "dying", 0, 10 + each) for each in range(4))):
        lines += process.communicate(timeout=600)[0].splitlines()
        assert process.returncode == -signal.SIGKILL
    for process in begun_together("work", *[(file, "shot", 0, 0)] * 4):
        lines += shoot(process)
    return {line.removeprefix("done ") for line in lines if line.startswith("done ")}


def shoot(process: subprocess.Popen[str]) -> list[str]:
    """Kill a worker after some output, and drop its last incomplete line."""
    assert process.stdout is not None
    lines = [process.stdout.readline() for _ in range(7)]
    process.kill()
    lines += process.communicate(timeout=600)[0].splitlines(keepends=True)
    return [line.strip() for line in lines if line.endswith("\n")]


def attempts(file: Path) -> dict[str, tuple[str, ...]]:
    """Return how the runs of each task ended, the last one first."""
    with erstwhile.open(file, embedder="none") as memory:
        everything = memory.everything()
        tasks = everything.tasks.list(ended=True, limit=1_000)
        assert len(tasks) == TASKS
        checked = everything.audit.verify()
        assert checked.ok, checked.problems[:3]
        return {
            task.id: tuple(str(run.status) for run in everything.tasks.runs(task.id))
            for task in tasks
        }


def ended(file: Path) -> dict[tuple[str, ...], int]:
    """Count how tasks ended; recurring tasks wait for next year."""
    with erstwhile.open(file, embedder="none") as memory:
        tasks = memory.everything().tasks.list(ended=True, limit=1_000)
    assert Counter(task.status for task in tasks) == {"done": TASKS * 9 // 10, "pending": 100}
    return dict(Counter(attempts(file).values()))
