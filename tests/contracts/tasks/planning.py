"""Adding tasks: due times, duplicates and similar tasks."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from erstwhile.core.errors import ConflictError, InvalidInputError, ScopeError, TooLargeError
from erstwhile.memory import Memory
from erstwhile.tasks.task import TaskType
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import Contract, input_check, unchanged

BERLIN = ZoneInfo("Europe/Berlin")
DETAILS: Any = {"due": "2026-03-05T09:00", "recurrence": "daily", "metadata": {"a": 1, "b": 2}}


class PlanningContract(Contract):
    def test_a_task_keeps_every_detail(self, memory: Memory) -> None:
        shop = memory.scoped(user="ana", project="shop")
        made = shop.tasks.add(
            "call mom", due="2026-03-02T09:00", time_zone="Europe/Berlin", recurrence="Weekly",
            type="action", reply_to="telegram:42", metadata={"ticket": 7}, retries=1,
        )  # fmt: skip
        task = shop.tasks.get(made.task.id)
        assert (made.task, made.existed, made.similar) == (task, False, ())
        assert task.scope == shop.scope
        assert (task.description, task.type, task.status) == ("call mom", "action", "pending")
        assert task.due_at == task.occurrence_at == datetime(2026, 3, 2, 8, tzinfo=UTC)
        assert (task.anchor, task.time_zone) == ("2026-03-02T09:00:00", "Europe/Berlin")
        assert (task.recurrence, task.reply_to) == ("weekly", "telegram:42")
        assert (dict(task.metadata), task.retries, task.attempts) == ({"ticket": 7}, 1, 0)
        assert (task.run, task.worker, task.lease_until, task.last_error) == (None,) * 4

    def test_a_task_is_a_reminder_due_now(self, memory: Memory, clock: FakeClock) -> None:
        task = memory.tasks.add("stretch").task
        assert (task.type, task.due_at) == (TaskType.REMINDER, clock.now())
        assert (task.time_zone, task.recurrence, task.retries) == ("UTC", None, 3)

    @pytest.mark.parametrize(
        ("due", "zone", "meant"),
        [
            ("2026-07-01T09:00", "Europe/Berlin", "2026-07-01T07:00+00:00"),
            ("2026-07-01T09:00", None, "2026-07-01T09:00+00:00"),
            ("2026-07-01T09:00Z", "Europe/Berlin", "2026-07-01T09:00+00:00"),
            ("2026-07-01T09:00+05:30", "Europe/Berlin", "2026-07-01T03:30+00:00"),
            ("2026-07-01", "America/New_York", "2026-07-01T04:00+00:00"),
            (date(2026, 7, 1), "Asia/Tokyo", "2026-06-30T15:00+00:00"),
            (datetime(2026, 7, 1, 9), "Asia/Tokyo", "2026-07-01T00:00+00:00"),  # noqa: DTZ001
            (datetime(2026, 7, 1, 9, tzinfo=BERLIN), None, "2026-07-01T07:00+00:00"),
            ("tomorrow", "Europe/Berlin", "2026-03-01T23:00+00:00"),
            ("today", "Asia/Tokyo", "2026-02-28T15:00+00:00"),
            ("in 30 days", "Europe/Berlin", "2026-03-31T11:00+00:00"),
            ("in 720 hours", "Europe/Berlin", "2026-03-31T12:00+00:00"),
            ("2 hours", "Europe/Berlin", "2026-03-01T14:00+00:00"),
            (timedelta(days=30), "Europe/Berlin", "2026-03-31T12:00+00:00"),
            ("2026-03-29T02:30", "Europe/Berlin", "2026-03-29T01:30+00:00"),
            ("2026-10-25T02:30", "Europe/Berlin", "2026-10-25T00:30+00:00"),
        ],
        ids=str,
    )
    def test_a_time_without_a_zone_is_on_the_task_s_clock(
        self, memory: Memory, due: Any, zone: str | None, meant: str
    ) -> None:
        task = memory.tasks.add("x", due=due, time_zone=zone).task
        assert task.due_at == datetime.fromisoformat(meant)

    @input_check
    @pytest.mark.parametrize(
        "said",
        [
            {"due": "next week"}, {"due": "2026-02-30"}, {"due": ""}, {"due": None}, {"due": 1e9},
            {"due": "in 999999 years"},
            {"time_zone": "Berlin"}, {"time_zone": ""}, {"time_zone": "/etc/passwd"},
            {"time_zone": "../UTC"}, {"time_zone": "Europe"}, {"time_zone": 2},
            {"recurrence": "fortnightly"}, {"recurrence": ""}, {"recurrence": "FREQ=NEVER"},
            {"recurrence": "FREQ=DAILY;INTERVAL=0"}, {"recurrence": "FREQ=DAILY;COUNT=0"},
            {"recurrence": "FREQ=DAILY;UNTIL=20250101"}, {"recurrence": 7},
            {"recurrence": "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30"},
            {"recurrence": "daily", "due": "1969-12-31"},
            {"type": "chore"}, {"reply_to": ""}, {"reply_to": "a\nb"},
            {"metadata": {"x": b"bytes"}},
            {"retries": -1}, {"retries": 101}, {"retries": True}, {"retries": "3"},
        ],
        ids=str,
    )  # fmt: skip
    def test_an_unclear_recurrence_or_time_is_refused(self, memory: Memory, said: Any) -> None:
        with unchanged(memory), pytest.raises(InvalidInputError) as caught:
            memory.tasks.add("x", **said)
        assert str(caught.value)

    @input_check
    def test_the_description_is_checked(self, memory: Memory) -> None:
        for wrong in ("", "  ", "a\0b", "\ud800", None, 5):
            with unchanged(memory), pytest.raises(InvalidInputError):
                memory.tasks.add(wrong)  # type: ignore[arg-type]
        with unchanged(memory), pytest.raises(TooLargeError):
            memory.tasks.add("x" * 10_001)

    def test_an_administrator_cannot_add_a_task(self, memory: Memory) -> None:
        with unchanged(memory), pytest.raises(ScopeError):
            memory.everything().tasks.add("x")


class TwinTasksContract(Contract):
    def test_adding_the_same_task_again_returns_it(self, memory: Memory) -> None:
        first = memory.tasks.add("Call  mom", **DETAILS)
        with unchanged(memory):
            again = memory.tasks.add("call mom", **DETAILS)
        assert (again.task, again.existed) == (first.task, True)

    @pytest.mark.parametrize(
        "other",
        [
            {"due": "2026-03-05T09:30"}, {"recurrence": "weekly"}, {"recurrence": None},
            {"type": "action"}, {"reply_to": "mail"}, {"metadata": {"a": 1}}, {"retries": 5},
            {"time_zone": "Europe/Berlin"},
        ],
        ids=str,
    )  # fmt: skip
    def test_a_task_with_another_detail_is_another_task(self, memory: Memory, other: Any) -> None:
        first = memory.tasks.add("call mom", **DETAILS)
        second = memory.tasks.add("call mom", **{**DETAILS, **other})
        assert not second.existed
        assert [each.task for each in second.similar] == [first.task]
        assert len(memory.tasks.list()) == 2

    @pytest.mark.parametrize(
        ("due", "between", "existed"),
        [
            ("in 2 hours", 11, True), ("in 2 hours", 13, False), ("in 5 minutes", 0.9, True),
            ("in 5 minutes", 1.1, False), ("in 30 days", 29, True), ("in 30 days", 31, False),
            ("now", 0.9, True), (timedelta(hours=2), 11, True), ("2026-04-01T12:00:00Z", 11, True),
        ],
    )  # fmt: skip
    def test_a_time_that_counts_from_now_is_compared_roughly(
        self, memory: Memory, clock: FakeClock, due: Any, between: float, existed: bool
    ) -> None:
        first = memory.tasks.add("Call mom", due=due)
        clock.advance(minutes=between)
        again = memory.tasks.add("call  MOM", due=due)
        assert again.existed is existed
        assert (again.task == first.task) is existed
        assert not memory.tasks.add("Call dad", due=due).existed
        assert not memory.tasks.add("Call mom", due=due, reply_to="mail").existed

    def test_an_exact_time_is_compared_exactly(self, memory: Memory) -> None:
        memory.tasks.add("Call mom", due="2026-04-01T12:00:00Z")
        assert not memory.tasks.add("Call mom", due="2026-04-01T12:00:01Z").existed
        begun = memory.tasks.add("Report", due="now").task
        memory.tasks.claim(begun.id, "worker")
        assert memory.tasks.add("Report", due="in 1 second").task.id != begun.id

    def test_tasks_of_other_scopes_and_ended_ones_are_no_duplicates(self, memory: Memory) -> None:
        ana = memory.scoped(user="ana")
        ana.tasks.add("call mom", **DETAILS)
        for other in (ana.scoped(project="shop"), memory, memory.scoped(user="bob")):
            assert not other.tasks.add("call mom", **DETAILS).existed
        first = memory.tasks.add("call mom", **DETAILS).task
        memory.tasks.cancel(first.id)
        again = memory.tasks.add("call mom", **DETAILS)
        assert not again.existed
        assert again.task.id != first.id

    def test_no_change_makes_a_duplicate(self, memory: Memory) -> None:
        tasks = memory.tasks
        tasks.add("call mom", due="2026-03-05T09:00")
        other = tasks.add("call mom", due="2026-03-06T09:00").task
        with unchanged(memory), pytest.raises(ConflictError, match="the same details"):
            tasks.update(other.id, due="2026-03-05T10:00+01:00")
        with unchanged(memory), pytest.raises(ConflictError, match="the same details"):
            tasks.defer(other.id, "2026-03-05T09:00")
        tasks.delete(other.id)
        assert not tasks.add("call mom", due="2026-03-06T09:00").existed
        with unchanged(memory), pytest.raises(ConflictError, match="the same details"):
            tasks.restore(other.id)


class SimilarTasksContract(Contract):
    @pytest.mark.parametrize(
        ("first", "second", "terms"),
        [
            ("call mom about dinner", "call dad about dinner", ("call", "dinner")),
            ("Pay the invoices", "paying an invoice of ACME", ("pay", "invoic")),
            ("water the plants", "plants", ("plant",)),
            ("给妈妈打电话", "给爸爸打电话", ("打", "电", "话", "打电", "电话")),
            ("deploy src/app.py", "review src/app.py", None),
        ],
    )
    def test_similar_tasks_are_reported_and_not_merged(
        self, memory: Memory, first: str, second: str, terms: tuple[str, ...] | None
    ) -> None:
        before = memory.tasks.add(first, due="in 1 hour").task
        made = memory.tasks.add(second, due="in 1 hour")
        [alike] = made.similar
        assert (alike.task, made.existed) == (before, False)
        assert 0.5 <= alike.share <= 1
        assert terms is None or set(terms) <= set(alike.terms)
        assert len(memory.tasks.list()) == 2

    def test_unrelated_and_invisible_tasks_are_not_similar(self, memory: Memory) -> None:
        memory.tasks.add("the report is for me and for you")
        assert memory.tasks.add("tell me what the weather is and for whom").similar == ()
        memory.scoped(user="ana").tasks.add("call mom about dinner")
        assert memory.scoped(user="bob").tasks.add("call mom about dinner!").similar == ()

    def test_the_most_similar_open_tasks_come_first(self, memory: Memory) -> None:
        tasks = memory.tasks
        half = tasks.add("call mom about dinner", due="in 1 hour").task
        whole = tasks.add("call dad about lunch", due="in 2 hours").task
        tasks.cancel(tasks.add("call dad about lunch", due="in 3 hours").task.id)
        tasks.delete(tasks.add("call dad about lunch", due="in 4 hours").task.id)
        alike = tasks.add("call dad about lunch and dinner", due="in 5 hours").similar
        assert [each.task for each in alike] == [whole, half]
        assert [each.share for each in alike] == [1.0, pytest.approx(2 / 3)]
