"""Tasks and checkpoints: their audit trail, and concurrent changes."""

from __future__ import annotations

import re
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from erstwhile.core.ports import Engine
from erstwhile.memory import Memory
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import Contract

THREADS = 8


class WorkTrailContract(Contract):
    def test_every_step_is_on_the_trail(self, memory: Memory, clock: FakeClock) -> None:
        task = memory.tasks.add("a").task
        memory.tasks.update(task.id, description="b")
        claim = memory.tasks.claim(task.id, "w")
        memory.tasks.heartbeat(task.id, claim.token)
        memory.tasks.release(task.id, claim.token)
        memory.tasks.claim_due("w")
        clock.advance(hours=1)
        [claim] = memory.tasks.claim_due("w")
        memory.tasks.fail(task.id, claim.token, "no", final=True)
        memory.tasks.defer(task.id, "now")
        memory.tasks.cancel(task.id)
        steps = [entry.action for entry in memory.audit.list(subject=task.id)][::-1]
        assert steps == [
            "task.add", "task.update", "task.claim", "task.heartbeat", "task.release",
            "task.claim", "task.expire", "task.claim", "task.fail", "task.defer", "task.cancel",
        ]  # fmt: skip
        runs = [run.id for run in memory.tasks.runs(task.id)][::-1]
        ends = [[entry.action for entry in memory.audit.list(subject=run)] for run in runs]
        assert ends == [
            ["run.released", "run.start"],
            ["run.expired", "run.start"],
            ["run.failed", "run.start"],
        ]
        phase = memory.checkpoints.plan("r", "a")[0]
        memory.checkpoints.start("r", "a")
        memory.checkpoints.complete("r", "a", "x")
        steps = [entry.action for entry in memory.audit.list(subject=phase.id)][::-1]
        assert steps == ["checkpoint.plan", "checkpoint.start", "checkpoint.complete"]
        assert memory.audit.verify().problems == ()

    @pytest.mark.parametrize(
        ("statement", "problem"),
        [
            ("UPDATE tasks SET description = 'forged'", "task .* without"),
            ("UPDATE tasks SET status = 'done' WHERE status = 'pending'", "task .* without"),
            ("UPDATE tasks SET due_at = 1", "task .* without"),
            ("UPDATE task_runs SET result = 'forged'", "run .* without"),
            ("UPDATE task_runs SET token = 'forged'", "run .* without"),
            ("DELETE FROM task_runs", "run .* disappeared"),
            ("UPDATE checkpoints SET output = 'forged'", "checkpoint .* without"),
            ("UPDATE checkpoints SET status = 'completed'", "checkpoint .* without"),
            ("DELETE FROM checkpoints", "checkpoint .* disappeared"),
        ],
    )
    def test_a_change_behind_the_trail_shows(
        self, memory: Memory, engine: Engine, statement: str, problem: str
    ) -> None:
        done, _ = (memory.tasks.add(name).task for name in ("a", "b"))
        token = memory.tasks.claim(done.id, "w").token
        memory.tasks.complete(done.id, token, result="sent")
        memory.checkpoints.start("r", "phase")
        memory.checkpoints.save("r", "phase", "half")
        assert memory.audit.verify().ok
        assert engine.write(lambda session: session.run(statement, {})) >= 1
        problems = memory.audit.verify().problems
        assert any(re.search(problem, each) for each in problems), problems


class ManyHandsContract(Contract):
    def test_each_task_goes_to_one_of_many_threads(self, memory: Memory) -> None:
        """All tasks are claimed, none of them twice."""
        made = {memory.tasks.add(f"task {number}").task.id for number in range(60)}

        def work(worker: int) -> list[str]:
            taken: list[str] = []
            while claims := memory.everything().tasks.claim_due(f"w{worker}", limit=3):
                for claim in claims:
                    memory.tasks.complete(claim.task.id, claim.token)
                    taken.append(claim.task.id)
            return taken

        with ThreadPoolExecutor(THREADS) as pool:
            taken = Counter(id for part in pool.map(work, range(THREADS)) for id in part)
        assert taken == Counter(made)
        assert memory.audit.verify().problems == ()

    def test_a_task_that_many_add_at_once_exists_once(self, memory: Memory) -> None:
        with ThreadPoolExecutor(THREADS) as pool:
            made = list(pool.map(lambda _: memory.tasks.add("a", due="2030-01-01"), range(24)))
        assert len({each.task.id for each in made}) == 1
        assert sum(not each.existed for each in made) == 1

    def test_a_phase_that_many_start_at_once_exists_once(self, memory: Memory) -> None:
        """Each start is an attempt."""
        with ThreadPoolExecutor(THREADS) as pool:
            list(pool.map(lambda n: memory.checkpoints.start("r", f"p{n % 4}"), range(24)))
        phases = memory.checkpoints.list("r")
        assert sorted(each.phase for each in phases) == ["p0", "p1", "p2", "p3"]
        assert [each.position for each in phases] == [1, 2, 3, 4]
        assert [each.attempts for each in phases] == [6, 6, 6, 6]
