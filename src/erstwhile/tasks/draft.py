"""A task on its way in: what a caller said, checked, and when that makes it due."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from hashlib import sha256
from typing import Any, TypedDict

from erstwhile.core.errors import InvalidInputError
from erstwhile.core.ids import new_id
from erstwhile.core.kinds import choice
from erstwhile.core.metadata import checked_metadata
from erstwhile.core.scope import Scope
from erstwhile.core.text import checked_id, checked_text, folded
from erstwhile.core.time import EPOCH, Moment, parse_expiry, to_micros
from erstwhile.tasks.recurrence import at_wall_time, first_occurrence, on_the_wall, time_zone
from erstwhile.tasks.rrule import checked_recurrence
from erstwhile.tasks.task import Task, TaskStatus, TaskType

MAX_DESCRIPTION = 10_000
MAX_RETRIES = 100
RETRIES = 3
"""How often a task is tried again, unless said."""


class TaskDetails(TypedDict, total=False):
    """What a caller may say of a task besides its description."""

    due: Moment | timedelta
    """When: a time, or a duration from now; at once unless said."""
    time_zone: str | None
    """Whose clock a time without a zone, and a recurrence, go by; UTC unless said."""
    recurrence: str | None
    """How it comes back: daily, weekdays, weekly, monthly, yearly, or an RRULE."""
    type: TaskType | str
    """`reminder` unless said, or `action`."""
    reply_to: str | None
    """Where the answer belongs: a channel, an address."""
    metadata: Mapping[str, Any] | None
    """Anything else, as JSON."""
    retries: int
    """How often it is tried again after a failure; 3 unless said."""


class TaskChanges(TaskDetails, total=False):
    """What may be changed of a task."""

    description: str
    """What is to be done."""


DETAILS = tuple(TaskDetails.__annotations__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """When a task is due."""

    due_at: datetime
    anchor: str
    time_zone: str
    recurrence: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskDraft:
    """A checked task that can be stored."""

    description: str
    type: TaskType
    schedule: Schedule
    reply_to: str | None
    metadata: Mapping[str, Any]
    retries: int

    def to_task(self, scope: Scope, at: datetime) -> Task:
        """The task as it is when it is new."""
        return Task(
            id=new_id(at),
            scope=scope,
            description=self.description,
            type=self.type,
            status=TaskStatus.PENDING,
            due_at=self.schedule.due_at,
            occurrence_at=self.schedule.due_at,
            anchor=self.schedule.anchor,
            time_zone=self.schedule.time_zone,
            recurrence=self.schedule.recurrence,
            reply_to=self.reply_to,
            metadata=self.metadata,
            retries=self.retries,
            attempts=0,
            last_error=None,
            run=None,
            worker=None,
            lease_until=None,
            created_at=at,
            changed_at=at,
        )


def task_draft(
    description: str,
    *,
    now: datetime,
    due: Moment | timedelta = "now",
    time_zone: str | None = None,
    recurrence: str | None = None,
    type: TaskType | str = TaskType.REMINDER,
    reply_to: str | None = None,
    metadata: Mapping[str, Any] | None = None,
    retries: int = RETRIES,
) -> TaskDraft:
    """Check everything a caller says about a new task."""
    return TaskDraft(
        description=checked_text(description, name="description", limit=MAX_DESCRIPTION),
        type=choice(TaskType, type, name="type"),
        schedule=schedule(due, time_zone, recurrence, now),
        reply_to=None if reply_to is None else checked_id(reply_to, name="reply_to", limit=1_000),
        metadata=checked_metadata(metadata),
        retries=_checked_retries(retries),
    )


def schedule(
    due: Moment | timedelta, zone: str | None, recurrence: str | None, now: datetime
) -> Schedule:
    """What recurs is first due at its first occurrence at or after `due`, to the second."""
    name = _zone_name(due, zone)
    at = parse_due(due, name, now)
    wall = _wall(due, at, time_zone(name))
    if recurrence is None:
        return Schedule(due_at=at, anchor=wall.isoformat(), time_zone=name, recurrence=None)
    rule, wall = checked_recurrence(recurrence), wall.replace(microsecond=0)
    if at < EPOCH:  # all occurrences are counted from there
        raise InvalidInputError("what recurs begins in 1970 or later", remedy="give a later due")
    first = first_occurrence(rule, wall, time_zone(name))
    if first is None:
        raise InvalidInputError(
            f"{rule} has no occurrence from {wall.isoformat()} on", remedy="check its end"
        )
    return Schedule(due_at=first, anchor=wall.isoformat(), time_zone=name, recurrence=rule)


def parse_due(due: Moment | timedelta, zone: str, now: datetime) -> datetime:
    """A time without a zone is a time on the clock of the task's zone."""
    if isinstance(due, datetime) and due.tzinfo is None and zone != "UTC":
        return at_wall_time(due, time_zone(zone))
    return parse_expiry(due, now=now.astimezone(time_zone(zone)), name="due")


def fingerprint(task: Task) -> bytes:
    """Equal for tasks that are the same in every detail, and only for them."""
    clock = (task.anchor, task.time_zone) if task.recurrence else (to_micros(task.occurrence_at),)
    said = [folded(task.description), task.type, *clock, task.recurrence, task.reply_to]
    written = json.dumps([*said, dict(task.metadata), task.retries], sort_keys=True)
    return sha256(written.encode()).digest()[:16]


def _zone_name(due: Moment | timedelta, said: str | None) -> str:
    """The zone that was named, or that of the time itself if it has a name."""
    if said is not None:
        return checked_id(said, name="time_zone")
    own = getattr(due.tzinfo, "key", None) if isinstance(due, datetime) else None
    return own or "UTC"


def _wall(due: Moment | timedelta, at: datetime, zone: tzinfo) -> datetime:
    """As it was said, if it was said on the zone's clock, which may skip that very time."""
    said = due
    if isinstance(due, str):
        with suppress(ValueError):
            said = datetime.fromisoformat(due.strip())
    if isinstance(said, datetime) and said.tzinfo in (None, zone):
        return said.replace(tzinfo=None, fold=0)
    return on_the_wall(at, zone)


def _checked_retries(retries: int) -> int:
    if isinstance(retries, bool) or not isinstance(retries, int) or not 0 <= retries <= MAX_RETRIES:
        raise InvalidInputError(f"retries must lie between 0 and {MAX_RETRIES}, not {retries!r}")
    return retries
