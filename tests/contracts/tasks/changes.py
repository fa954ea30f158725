"""Listing, updating, deferring, cancelling and deleting tasks."""

from __future__ import annotations

import re
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

import pytest

from erstwhile.core.errors import (
    AmbiguousIdError,
    ConflictError,
    InvalidInputError,
    NotFoundError,
    ScopeError,
)
from erstwhile.core.ports import Engine
from erstwhile.memory import Memory
from erstwhile.tasks.task import TaskStatus
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import Contract, input_check, paged, unchanged
from tests.contracts.storage.probing import UNKNOWN


class TaskListContract(Contract):
    def test_tasks_are_listed_by_when_they_are_due(self, memory: Memory) -> None:
        hours = (5, 1, 3, 3, 3, 2)
        made = [memory.tasks.add(f"t{n}", due=f"in {h} hours").task for n, h in enumerate(hours)]
        planned = sorted(made, key=lambda task: (task.due_at, task.id))
        assert list(memory.tasks.list()) == planned
        assert paged(memory.tasks.list) == planned

    def test_lists_can_be_filtered(self, memory: Memory) -> None:
        tasks = memory.tasks
        now = tasks.add("now", type="action").task
        later = tasks.add("later", due="in 2 hours").task
        gone = tasks.cancel(tasks.add("gone").task.id)
        hidden = tasks.delete(tasks.add("hidden").task.id)
        assert list(tasks.list()) == [now, later]
        assert set(tasks.list(ended=True)) == {now, later, gone}
        assert list(tasks.list(status="cancelled")) == [gone]
        assert list(tasks.list(status=TaskStatus.DONE)) == []
        assert list(tasks.list(type="action")) == [now]
        assert list(tasks.list(due_by="now")) == [now]
        assert list(tasks.list(due_by="in 2 hours")) == [now, later]
        assert list(tasks.list(deleted=True)) == [hidden]
        claimed = tasks.claim(now.id, "w").task
        assert list(tasks.list(status="claimed")) == [claimed]

    @input_check
    @pytest.mark.parametrize(
        "asked",
        [
            {"status": "lost"}, {"type": "chore"}, {"due_by": "soon"}, {"limit": 0},
            {"cursor": "x"}, {"cursor": "1"}, {"cursor": "1.zz"}, {"cursor": "٣.0198"},
        ],
        ids=str,
    )  # fmt: skip
    def test_an_invalid_filter_is_refused(self, memory: Memory, asked: Any) -> None:
        with pytest.raises(InvalidInputError):
            memory.tasks.list(**asked)

    def test_an_id_means_one_task_or_none(self, memory: Memory) -> None:
        """A blank id is refused, and so is the beginning of several ids."""
        first, second = memory.tasks.add("one").task, memory.tasks.add("two").task
        begin = first.id[:13]
        assert second.id.startswith(begin)
        for verb in (
            memory.tasks.get,
            memory.tasks.cancel,
            memory.tasks.runs,
            lambda id: memory.tasks.update(id, description="changed"),
            lambda id: memory.tasks.defer(id, "in 1 hour"),
            lambda id: memory.tasks.claim(id, "w"),
        ):
            for wrong, error in (
                ("", InvalidInputError), ("%", NotFoundError), ("_", NotFoundError),
                (begin, AmbiguousIdError), (UNKNOWN, NotFoundError),
            ):  # fmt: skip
                with unchanged(memory), pytest.raises(error):
                    verb(wrong)
        assert memory.tasks.get(first.short_id) == first


class TaskChangesContract(Contract):
    def test_an_update_changes_only_the_given_details(self, memory: Memory) -> None:
        made = memory.tasks.add("a", due="in 1 hour", recurrence="daily", metadata={"x": 1}).task
        told = memory.tasks.update(made.id, description="b", type="action", reason="it grew")
        assert told == memory.tasks.get(made.id)
        assert (told.description, told.type, told.metadata) == ("b", "action", made.metadata)
        assert (told.due_at, told.anchor, told.recurrence) == (made.due_at, made.anchor, "daily")
        entry = memory.audit.list(subject=made.id)[0]
        assert (entry.action, entry.reason) == ("task.update", "it grew")

    def test_a_new_time_counts_from_there_on(self, memory: Memory) -> None:
        made = memory.tasks.add("a", due="2026-03-05T09:00", recurrence="daily").task
        moved = memory.tasks.update(made.id, due="2026-04-01T10:00", time_zone="Europe/Berlin")
        assert moved.due_at == moved.occurrence_at == datetime(2026, 4, 1, 8, tzinfo=UTC)
        assert (moved.anchor, moved.recurrence) == ("2026-04-01T10:00:00", "daily")
        once = memory.tasks.update(made.id, recurrence=None)
        assert (once.recurrence, once.due_at) == (None, moved.due_at)
        weekly = memory.tasks.update(made.id, recurrence="weekly")
        assert (weekly.recurrence, weekly.due_at) == ("weekly", moved.due_at)

    @input_check
    @pytest.mark.parametrize(
        "wrong",
        [
            {},
            {"due": "soon"},
            {"time_zone": "Europe/Berlin"},
            {"recurrence": "often"},
            {"type": ""},
        ],
        ids=str,
    )
    def test_a_wrong_change_changes_nothing(self, memory: Memory, wrong: Any) -> None:
        made = memory.tasks.add("a").task
        with unchanged(memory), pytest.raises(InvalidInputError):
            memory.tasks.update(made.id, **wrong)
        with unchanged(memory), pytest.raises(TypeError):
            memory.tasks.update(made.id, status="done")  # type: ignore[call-arg]

    def test_an_ended_task_is_not_changed(self, memory: Memory) -> None:
        tasks = memory.tasks
        done, gone = (tasks.add(name).task.id for name in ("done", "gone"))
        tasks.complete(done, tasks.claim(done, "w").token)
        tasks.cancel(gone)
        for ended in (done, gone):
            for change in (
                lambda id: tasks.update(id, description="x"),
                lambda id: tasks.defer(id, "in 1 hour"),
                lambda id: tasks.claim(id, "w"),
            ):
                with unchanged(memory), pytest.raises(ConflictError):
                    change(ended)
        with unchanged(memory), pytest.raises(ConflictError, match="done"):
            tasks.cancel(done)
        cancelled = tasks.cancel(tasks.add("a").task.id, reason="no need")
        with unchanged(memory):
            assert tasks.cancel(cancelled.id) == cancelled
        assert cancelled.status == "cancelled"

    def test_a_deferred_task_is_due_at_the_new_time(self, memory: Memory, clock: FakeClock) -> None:
        made = memory.tasks.add("a", time_zone="Europe/Berlin").task
        later = memory.tasks.defer(made.id, "2026-03-02T08:00", reason="asleep")
        assert later.due_at == later.occurrence_at == datetime(2026, 3, 2, 7, tzinfo=UTC)
        assert memory.tasks.claim_due("w") == []
        clock.set(later.due_at)
        assert [claim.task.id for claim in memory.tasks.claim_due("w")] == [made.id]

    def test_a_visible_record_of_another_scope_cannot_be_changed(self, memory: Memory) -> None:
        shared = memory.tasks.add("for everybody").task
        ana = memory.scoped(user="ana")
        assert ana.tasks.get(shared.id) == shared
        for change in (
            ana.tasks.cancel,
            ana.tasks.delete,
            lambda id: ana.tasks.claim(id, "w"),
            lambda id: ana.tasks.defer(id, "in 1 hour"),
            lambda id: ana.tasks.update(id, description="mine"),
        ):
            with unchanged(memory), pytest.raises(ScopeError):
                change(shared.id)
        assert ana.tasks.claim_due("w") == []

    def test_a_deleted_task_is_hidden_until_it_is_restored(self, memory: Memory) -> None:
        made = memory.tasks.add("a").task
        memory.tasks.delete(made.id, reason="a mistake")
        assert memory.tasks.claim_due("w") == []
        assert list(memory.tasks.list(ended=True)) == []
        with pytest.raises(NotFoundError, match="restore"):
            memory.tasks.get(made.id)
        back = memory.tasks.restore(made.id)
        assert (back.due_at, back.status, back.deleted_at) == (made.due_at, "pending", None)
        assert len(memory.tasks.claim_due("w")) == 1

    def test_an_erased_task_is_gone_with_its_runs(self, memory: Memory, clock: FakeClock) -> None:
        made = memory.tasks.add("a secret").task
        memory.tasks.complete(made.id, memory.tasks.claim(made.id, "w").token, result="told")
        receipt = memory.tasks.erase(made.id)
        assert receipt.ids == (made.id,)
        assert memory.tasks.erase(made.id).ids == (made.id,)
        for ask in (memory.tasks.get, memory.tasks.runs):
            with pytest.raises(NotFoundError):
                ask(made.id)
        other = memory.tasks.add("another").task
        memory.tasks.delete(other.id)
        clock.advance(days=40)
        assert memory.tasks.purge().ids == (other.id,)
        assert memory.audit.verify().problems == ()


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

    def test_what_many_add_or_start_at_once_exists_once(self, memory: Memory) -> None:
        with ThreadPoolExecutor(THREADS) as pool:
            made = list(pool.map(lambda _: memory.tasks.add("a", due="2030-01-01"), range(24)))
        assert len({each.task.id for each in made}) == 1
        assert sum(not each.existed for each in made) == 1
        with ThreadPoolExecutor(THREADS) as pool:
            list(pool.map(lambda n: memory.checkpoints.start("r", f"p{n % 4}"), range(24)))
        phases = memory.checkpoints.list("r")
        assert sorted(each.phase for each in phases) == ["p0", "p1", "p2", "p3"]
        assert [each.position for each in phases] == [1, 2, 3, 4]
        assert [each.attempts for each in phases] == [6, 6, 6, 6]
