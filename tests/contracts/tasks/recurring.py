"""Retries of failed tasks, and the occurrences of recurring tasks."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from erstwhile.core.errors import InvalidInputError
from erstwhile.memory import Memory
from erstwhile.tasks.task import TaskRun
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import Contract, input_check, paged, unchanged
from tests.contracts.tasks.leases import only


class FailingContract(Contract):
    def test_retries_wait_longer_each_time(self, memory: Memory, clock: FakeClock) -> None:
        made = memory.tasks.add("a", retries=3).task
        for attempt, minutes in ((1, 1), (2, 2), (3, 4)):
            claim = only(memory.tasks.claim_due("w"))
            failure = memory.tasks.fail(made.id, claim.token, f"error {attempt}")
            assert failure.then == "retry"
            assert failure.task == memory.tasks.get(made.id)
            assert (failure.task.status, failure.task.attempts) == ("pending", attempt)
            assert failure.task.due_at == failure.task.changed_at + timedelta(minutes=minutes)
            assert failure.task.occurrence_at == made.occurrence_at
            assert memory.tasks.claim_due("w") == []
            clock.advance(minutes=minutes, seconds=1)
        claim = only(memory.tasks.claim_due("w"))
        failure = memory.tasks.fail(made.id, claim.token, "error 4")
        assert (failure.then, failure.task.status) == ("failed", "failed")
        assert failure.task.last_error == "error 4"
        clock.advance(days=9)
        assert memory.tasks.claim_due("w") == []

    def test_a_final_failure_is_tried_again_on_request_only(
        self, memory: Memory, clock: FakeClock
    ) -> None:
        made = memory.tasks.add("a").task
        claim = only(memory.tasks.claim_due("w"))
        assert memory.tasks.fail(made.id, claim.token, "no such user", final=True).then == "failed"
        made = memory.tasks.add("a", retries=0).task
        memory.tasks.fail(made.id, only(memory.tasks.claim_due("w")).token, "no")
        revived = memory.tasks.defer(made.id, "in 1 hour")
        assert (revived.status, revived.attempts) == ("pending", 0)
        clock.set(revived.due_at)
        claim = only(memory.tasks.claim_due("w"))
        assert memory.tasks.complete(made.id, claim.token).status == "done"

    def test_success_resets_earlier_failures(self, memory: Memory, clock: FakeClock) -> None:
        made = memory.tasks.add("a", due="now", recurrence="daily", retries=1).task
        for _ in range(3):
            memory.tasks.fail(made.id, only(memory.tasks.claim_due("w")).token, "no")
            clock.advance(minutes=2)
            done = memory.tasks.complete(made.id, only(memory.tasks.claim_due("w")).token)
            assert (done.attempts, done.last_error) == (0, None)
            clock.set(done.due_at)

    def test_every_attempt_is_recorded(self, memory: Memory, clock: FakeClock) -> None:
        ana = memory.scoped(user="ana")
        made = ana.tasks.add("a").task
        first = only(ana.tasks.claim_due("w1"))
        clock.advance(seconds=30)
        ana.tasks.fail(made.id, first.token, "timeout", tokens_used=100)
        clock.advance(minutes=2)
        second = only(ana.tasks.claim_due("w2"))
        clock.advance(seconds=10)
        ana.tasks.complete(made.id, second.token, result="sent", tokens_used=250)
        last, before = ana.tasks.runs(made.id)
        assert (before.status, before.error, before.tokens_used) == ("failed", "timeout", 100)
        assert (last.status, last.result, last.tokens_used) == ("completed", "sent", 250)
        assert [run.worker for run in (before, last)] == ["w1", "w2"]
        assert [run.attempt for run in (before, last)] == [1, 2]
        assert [_took(run) for run in (before, last)] == [30, 10]
        assert {run.occurrence_at for run in (before, last)} == {made.occurrence_at}
        assert {run.scope for run in (before, last)} == {ana.scope}
        assert paged(lambda **page: ana.tasks.runs(made.id, **page)) == [last, before]

    @input_check
    @pytest.mark.parametrize("wrong", [-1, True, 1.5, "9", 10**9])
    def test_a_count_of_tokens_is_checked(self, memory: Memory, wrong: Any) -> None:
        memory.tasks.add("a")
        claim = only(memory.tasks.claim_due("w"))
        with unchanged(memory), pytest.raises(InvalidInputError):
            memory.tasks.complete(claim.task.id, claim.token, tokens_used=wrong)
        with unchanged(memory), pytest.raises(InvalidInputError):
            memory.tasks.fail(claim.task.id, claim.token, "", tokens_used=1)


class RecurringContract(Contract):
    def run(self, memory: Memory, clock: FakeClock, id: str, times: int) -> list[datetime]:
        """Complete a task whenever it is due, and return the due times."""
        met: list[datetime] = []
        for _ in range(times):
            clock.set(memory.tasks.get(id).due_at)
            claim = only(memory.tasks.claim_due("w"))
            met.append(claim.task.due_at)
            memory.tasks.complete(id, claim.token)
        return met

    @pytest.mark.parametrize(
        ("due", "recurrence", "zone", "met"),
        [
            ("2026-03-31T09:00", "monthly", None,
             ["03-31T09", "04-30T09", "05-31T09", "06-30T09", "07-31T09", "08-31T09", "09-30T09",
              "10-31T09", "11-30T09", "12-31T09", "01-31T09", "02-28T09"]),
            ("2026-03-28T09:00", "daily", "Europe/Berlin", ["03-28T08", "03-29T07", "03-30T07"]),
            ("2026-03-29T02:30", "daily", "Europe/Berlin", ["03-29T01:30", "03-30T00:30"]),
            ("2026-03-07T09:00", "weekdays", None,
             ["03-09T09", "03-10T09", "03-11T09", "03-12T09", "03-13T09", "03-16T09"]),
            ("2026-03-02T09:00", "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO", None,
             ["03-02T09", "03-16T09", "03-30T09"]),
        ],
        ids=["the 31st", "nine o'clock", "a skipped hour", "weekdays", "an RRULE"],
    )  # fmt: skip
    def test_occurrences_do_not_drift(
        self,
        memory: Memory,
        clock: FakeClock,
        due: str,
        recurrence: str,
        zone: str | None,
        met: list[str],
    ) -> None:
        made = memory.tasks.add("a", due=due, time_zone=zone, recurrence=recurrence).task
        assert made.recurrence == recurrence
        found = [at.isoformat()[5:16] for at in self.run(memory, clock, made.id, len(met))]
        assert found == [each if ":" in each else f"{each}:00" for each in met]

    def test_missed_occurrences_are_due_once(self, memory: Memory, clock: FakeClock) -> None:
        made = memory.tasks.add("a", due="2026-03-02T09:00", recurrence="daily").task
        clock.set(datetime(2026, 3, 9, 17, tzinfo=UTC))
        claims = memory.tasks.claim_due("w", limit=9)
        memory.tasks.complete(made.id, only(claims).token)
        assert memory.tasks.claim_due("w") == []
        assert memory.tasks.get(made.id).due_at == datetime(2026, 3, 10, 9, tzinfo=UTC)

    def test_an_occurrence_during_a_run_is_kept(self, memory: Memory, clock: FakeClock) -> None:
        made = memory.tasks.add("a", due="2026-03-02T09:00", recurrence="FREQ=HOURLY").task
        clock.set(datetime(2026, 3, 2, 9, 50, tzinfo=UTC))
        claim = only(memory.tasks.claim_due("w"))
        clock.advance(minutes=20)
        done = memory.tasks.complete(made.id, claim.token)
        assert done.due_at == datetime(2026, 3, 2, 10, tzinfo=UTC)

    def test_a_retry_does_not_move_the_rhythm(self, memory: Memory, clock: FakeClock) -> None:
        made = memory.tasks.add("a", due="2026-03-02T09:00", recurrence="daily").task
        clock.set(made.due_at)
        failure = memory.tasks.fail(made.id, only(memory.tasks.claim_due("w")).token, "no")
        clock.set(failure.task.due_at)
        done = memory.tasks.complete(made.id, only(memory.tasks.claim_due("w")).token)
        assert done.due_at == datetime(2026, 3, 3, 9, tzinfo=UTC)
        put_off = memory.tasks.defer(made.id, "2026-03-03T13:00")
        assert (put_off.due_at.hour, put_off.occurrence_at) == (13, done.due_at)
        clock.set(put_off.due_at)
        done = memory.tasks.complete(made.id, only(memory.tasks.claim_due("w")).token)
        assert done.due_at == datetime(2026, 3, 4, 9, tzinfo=UTC)

    def test_a_failed_occurrence_is_not_the_last(self, memory: Memory, clock: FakeClock) -> None:
        made = memory.tasks.add("a", recurrence="daily", due="2026-03-02T09:00", retries=0).task
        clock.set(made.due_at)
        failure = memory.tasks.fail(made.id, only(memory.tasks.claim_due("w")).token, "no")
        assert (failure.then, failure.task.status, failure.task.attempts) == ("next", "pending", 0)
        assert failure.task.due_at == datetime(2026, 3, 3, 9, tzinfo=UTC)
        assert failure.task.last_error == "no"

    @pytest.mark.parametrize("rule", ["RRULE:FREQ=DAILY;COUNT=3", "freq=daily;until=20260304"])
    def test_a_rule_with_an_end_ends(self, memory: Memory, clock: FakeClock, rule: str) -> None:
        made = memory.tasks.add("a", due="2026-03-02T09:00", recurrence=rule).task
        assert len(self.run(memory, clock, made.id, 3)) == 3
        assert memory.tasks.get(made.id).status == "done"


def _took(run: TaskRun) -> int:
    assert run.finished_at is not None
    return round((run.finished_at - run.started_at).total_seconds())
