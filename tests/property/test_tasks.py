"""Leases, compared with a record of the holders; occurrences, compared with python-dateutil."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from itertools import takewhile
from typing import Any

import pytest
from dateutil import tz
from dateutil.relativedelta import relativedelta
from dateutil.rrule import rrulestr
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

import erstwhile
from erstwhile import ConflictError
from erstwhile.tasks.recurrence import (
    checked_recurrence,
    first_occurrence,
    occurrence_after,
    time_zone,
)
from erstwhile.types import TaskStatus
from tests.property.places import TurnedClock

LEASE = timedelta(minutes=10)
picks = st.integers(0, 30)


class Leases(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.clock = TurnedClock()
        self.memory = erstwhile.open(":memory:", clock=self.clock, embedder="none")
        self.everything = self.memory.everything()
        self.tasks: list[str] = []
        self.claims: list[erstwhile.types.Claim] = []
        self.holding: dict[str, erstwhile.types.Claim] = {}
        """Who holds each task, by the second book: until finished, or taken by another."""
        self.completed: Counter[str] = Counter()

    def teardown(self) -> None:
        checked = self.everything.audit.verify()
        self.memory.close()
        assert checked.problems == ()

    @rule(
        user=st.sampled_from(["ana", "bob"]),
        hours=st.integers(-2, 2),
        recurrence=st.sampled_from([None, None, "daily", "FREQ=HOURLY;COUNT=3"]),
        retries=st.integers(0, 2),
    )
    def create(self, user: str, hours: int, recurrence: str | None, retries: int) -> None:
        made = self.memory.scoped(user=user).tasks.add(
            f"task {len(self.tasks)}",
            due=self.clock.now() + timedelta(hours=hours),
            recurrence=recurrence,
            retries=retries,
        )
        self.tasks.append(made.task.id)

    @rule(user=st.sampled_from([None, "ana", "bob"]), limit=st.integers(1, 3))
    def claim_due(self, user: str | None, limit: int) -> None:
        """Check that no worker gets a held task; a late worker may lose its task."""
        view = self.everything if user is None else self.memory.scoped(user=user)
        claims = view.tasks.claim_due("worker", limit, LEASE)
        assert len(claims) <= limit
        for claim in claims:
            held = self.holding.get(claim.task.id)
            assert held is None or held.expires_at <= claim.task.changed_at
            assert claim.task.due_at <= claim.task.changed_at
            self.note(claim)
        self.forget_what_was_given_up()

    @precondition(lambda self: self.tasks)
    @rule(pick=picks)
    def claim(self, pick: int) -> None:
        id = self.tasks[pick % len(self.tasks)]
        claim = self.attempt(lambda: self.everything.tasks.claim(id, "picky", LEASE))
        if claim is not None:
            held = self.holding.get(id)
            assert held is None or held.expires_at <= claim.task.changed_at
            self.note(claim)
        self.forget_what_was_given_up()

    @precondition(lambda self: self.claims)
    @rule(pick=picks)
    def heartbeat(self, pick: int) -> None:
        old = self.claims[pick % len(self.claims)]
        kept = self.with_token(
            old, lambda: self.everything.tasks.heartbeat(old.task.id, old.token, LEASE)
        )
        if kept is not None:
            self.holding[old.task.id] = kept

    @precondition(lambda self: self.claims)
    @rule(pick=picks, how=st.sampled_from(["complete", "fail", "release", "defer"]))
    def finish(self, pick: int, how: str) -> None:
        tasks, claim = self.everything.tasks, self.claims[pick % len(self.claims)]
        id, token = claim.task.id, claim.token
        if how == "complete" and self.completed[token]:
            before = tasks.get(id)
            assert tasks.complete(id, token) == before
            return
        acts: dict[str, Callable[[], Any]] = {
            "complete": lambda: tasks.complete(id, token),
            "fail": lambda: tasks.fail(id, token, "no"),
            "release": lambda: tasks.release(id, token),
            "defer": lambda: tasks.defer(id, "in 1 hour", token=token),
        }
        if self.with_token(claim, acts[how]) is not None:
            del self.holding[id]
            self.completed[token] += how == "complete"

    @precondition(lambda self: self.tasks)
    @rule(pick=picks)
    def cancel(self, pick: int) -> None:
        id = self.tasks[pick % len(self.tasks)]
        if self.attempt(lambda: self.everything.tasks.cancel(id)) is not None:
            self.holding.pop(id, None)

    @rule(minutes=st.sampled_from([-30, 1, 9, 10, 11, 90, 60 * 24]))
    def wait(self, minutes: int) -> None:
        self.clock.turn(timedelta(minutes=minutes))

    @invariant()
    def both_books_agree(self) -> None:
        for id in self.tasks:
            task = self.everything.tasks.get(id)
            running = [run for run in self.everything.tasks.runs(id) if run.status == "running"]
            held = self.holding.get(id)
            if held is None:
                assert task.status is not TaskStatus.CLAIMED
                assert (task.run, task.worker, task.lease_until, running) == (None, None, None, [])
            else:
                assert (task.status, task.lease_until) == (TaskStatus.CLAIMED, held.expires_at)
                assert [run.id for run in running] == [task.run]

    @invariant()
    def what_was_completed_is_recorded_once(self) -> None:
        runs = [run for id in self.tasks for run in self.everything.tasks.runs(id, limit=1_000)]
        assert sum(run.status == "completed" for run in runs) == self.completed.total()
        assert all(count == 1 for count in self.completed.values() if count)

    def with_token(self, claim: erstwhile.types.Claim, act: Callable[[], Any]) -> Any:
        held = self.holding.get(claim.task.id)
        made = self.attempt(act)
        assert (made is not None) == (held is not None and held.token == claim.token)
        return made

    def attempt(self, act: Callable[[], Any]) -> Any:
        """Call a verb; if it is refused, check that nothing changed."""
        before = self.newest_change()
        try:
            return act()
        except ConflictError:
            assert self.newest_change() == before
            return None

    def note(self, claim: erstwhile.types.Claim) -> None:
        assert claim.token not in {each.token for each in self.claims}
        assert claim.expires_at > claim.task.changed_at
        self.claims.append(claim)
        self.holding[claim.task.id] = claim

    def forget_what_was_given_up(self) -> None:
        """Forget the tasks whose lease ran out: a claim has freed or failed them."""
        for id, held in list(self.holding.items()):
            task = self.everything.tasks.get(id)
            if task.status is not TaskStatus.CLAIMED:
                assert held.expires_at <= task.changed_at
                assert "ran out" in str(task.last_error)
                del self.holding[id]

    def newest_change(self) -> datetime | None:
        entries = self.everything.audit.list(limit=1)
        return entries[0].at if entries else None


TestLeases = Leases.TestCase
TestLeases.settings = settings(max_examples=100, stateful_step_count=40)


ZONES = (
    "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/Santiago",
    "Asia/Kolkata", "Pacific/Apia", "Africa/Casablanca", "UTC",
)  # fmt: skip
"""North and south, a change of half an hour, changes at midnight, and none at all."""
END = datetime(2027, 1, 15, tzinfo=UTC)

# The hours in which clocks change are drawn as often as all others.
hours = st.sampled_from([0, 1, 2, 3]) | st.integers(0, 23)
days = st.datetimes(datetime(2025, 12, 1), datetime(2026, 12, 31)) | st.sampled_from(  # noqa: DTZ001
    [datetime(2026, 1, 31), datetime(2026, 3, 29), datetime(2026, 10, 24)]  # noqa: DTZ001
)


@st.composite
def anchors(draw: st.DrawFn) -> datetime:
    minute = draw(st.sampled_from([0, 15, 30, 59]))
    return draw(days).replace(hour=draw(hours), minute=minute, second=0, microsecond=0, fold=0)


@st.composite
def rules(draw: st.DrawFn) -> str:
    frequency = draw(st.sampled_from(["DAILY", "WEEKLY", "MONTHLY", "YEARLY"]))
    parts = [f"FREQ={frequency}", f"INTERVAL={draw(st.integers(1, 4))}"]
    picked = st.lists(
        st.sampled_from(["MO", "WE", "FR", "SU"]), min_size=1, max_size=3, unique=True
    )
    if draw(st.booleans()):
        parts.append(f"BYDAY={','.join(draw(picked))}")
    if frequency == "MONTHLY" and draw(st.booleans()):
        parts.append(f"BYMONTHDAY={draw(st.sampled_from(['1', '15,-1', '31', '29,30']))}")
    if draw(st.booleans()):
        parts.append(f"BYHOUR={draw(st.sampled_from(['2', '1,2,3', '0,12']))}")
    if draw(st.booleans()):
        parts.append(f"COUNT={draw(st.integers(1, 40))}")
    return ";".join(parts)


def ours(recurrence: str, anchor: datetime, zone: str) -> list[datetime]:
    """Return each occurrence after the one before, as tasks compute them."""
    rule, clock, found = checked_recurrence(recurrence), time_zone(zone), list[datetime]()
    at = first_occurrence(rule, anchor, clock)
    while at is not None and at < END:
        found.append(at)
        at = occurrence_after(rule, anchor, clock, at)
    return found


def on_wall(walls: Iterable[datetime], zone: str) -> list[datetime]:
    """Return the moments at which a clock shows these times, computed by dateutil."""
    clock = tz.gettz(zone)
    moments = (tz.resolve_imaginary(wall.replace(tzinfo=clock)).astimezone(UTC) for wall in walls)
    return sorted(set(takewhile(lambda moment: moment < END, moments)))


@settings(max_examples=400)
@given(rule=rules(), anchor=anchors(), zone=st.sampled_from(ZONES))
@example("FREQ=DAILY", datetime(2026, 3, 28, 2, 30), "Europe/Berlin")  # noqa: DTZ001
@example("FREQ=DAILY", datetime(2026, 10, 24, 2, 30), "Europe/Berlin")  # noqa: DTZ001
@example("FREQ=DAILY;BYHOUR=1,2,3", datetime(2026, 3, 28, 1, 0), "America/New_York")  # noqa: DTZ001
@example("FREQ=MONTHLY", datetime(2026, 1, 31, 9, 0), "UTC")  # noqa: DTZ001
def test_rules_agree_with_dateutil(rule: str, anchor: datetime, zone: str) -> None:
    walls = takewhile(lambda wall: wall.year < 2028, rrulestr(rule, dtstart=anchor))
    assert ours(rule, anchor, zone) == on_wall(walls, zone)


@settings(max_examples=80)
@given(
    step=st.sampled_from([("HOURLY", "hours"), ("MINUTELY", "minutes")]),
    interval=st.integers(1, 100),
    anchor=anchors(),
    zone=st.sampled_from(ZONES),
    later=st.timedeltas(timedelta(0), timedelta(days=400)),
)
def test_hours_and_minutes_are_elapsed_time(
    step: tuple[str, str], interval: int, anchor: datetime, zone: str, later: timedelta
) -> None:
    """The result is that of dateutil in UTC, from any starting point."""
    start = on_wall([anchor], zone)[0]
    after = start + later
    found = occurrence_after(f"FREQ={step[0]};INTERVAL={interval}", anchor, time_zone(zone), after)
    whole = (after - start) // timedelta(**{step[1]: interval})
    near = start + whole * timedelta(**{step[1]: interval})
    rule = rrulestr(f"FREQ={step[0]};INTERVAL={interval}", dtstart=near)
    assert found == rule.after(after)


@settings(max_examples=80)
@given(
    word=st.sampled_from([("daily", "days"), ("weekly", "weeks"), ("monthly", "months")])
    | st.just(("yearly", "years")),
    anchor=anchors(),
    zone=st.sampled_from(ZONES),
)
@example(("monthly", "months"), datetime(2026, 1, 31, 9, 0), "Europe/Berlin")  # noqa: DTZ001
@example(("yearly", "years"), datetime(2020, 2, 29, 9, 0), "UTC")  # noqa: DTZ001
def test_words_count_from_the_anchor(word: tuple[str, str], anchor: datetime, zone: str) -> None:
    """A month that is too short uses its last day."""
    steps: Any = ({word[1]: number} for number in range(450))
    walls = [anchor + relativedelta(**step) for step in steps]
    assert ours(word[0], anchor, zone) == on_wall(walls, zone)


@settings(max_examples=30)
@given(anchor=anchors(), zone=st.sampled_from(ZONES))
def test_weekdays_exclude_the_weekend(anchor: datetime, zone: str) -> None:
    walls = [anchor + timedelta(days=number) for number in range(450)]
    assert ours("weekdays", anchor, zone) == on_wall(
        (wall for wall in walls if wall.weekday() < 5), zone
    )


@pytest.mark.parametrize("after", ["2026-06-01T00:00", "2026-10-25T00:45", "2026-10-25T01:30"])
def test_the_next_occurrence_is_the_first_after_the_moment(after: str) -> None:
    at = datetime.fromisoformat(after).replace(tzinfo=UTC)
    anchor, zone = datetime(2026, 1, 1, 2, 30), "Europe/Berlin"  # noqa: DTZ001
    coming = [each for each in ours("daily", anchor, zone) if each > at]
    assert occurrence_after("daily", anchor, time_zone(zone), at) == coming[0]
