"""Drafts of tasks: the checked details and the due time of a new task."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime, timedelta, tzinfo
from hashlib import sha256
from typing import Any, NamedTuple, TypedDict

from erstwhile.core.errors import InvalidInputError
from erstwhile.core.kinds import choice
from erstwhile.core.results import checked_int
from erstwhile.core.text import checked_id, checked_metadata, checked_text, folded
from erstwhile.core.time import EPOCH, Moment, parse_expiry, to_micros
from erstwhile.tasks.recurrence import (
    checked_recurrence,
    first_occurrence,
    from_wall_time,
    time_zone,
    to_wall_time,
)
from erstwhile.tasks.task import Task, TaskType

MAX_DESCRIPTION = 10_000
MAX_RETRIES = 100
MIN_TOLERANCE = timedelta(minutes=1)
MAX_TOLERANCE = timedelta(minutes=30)
RETRIES = 3
"""The default number of retries."""


class TaskDetails(TypedDict, total=False):
    """The details of a task besides its description."""

    due: Moment | timedelta
    """A time, or a duration from now; now by default."""
    time_zone: str | None
    """The zone of a time without one, and of the recurrence; UTC by default."""
    recurrence: str | None
    """Daily, weekdays, weekly, monthly, yearly, or an RRULE."""
    type: TaskType | str
    """`reminder` (the default) or `action`."""
    reply_to: str | None
    """The channel or the address for the reply."""
    metadata: Mapping[str, Any] | None
    """Any other data, as JSON."""
    retries: int
    """The number of retries after a failure; 3 by default."""


class TaskChanges(TaskDetails, total=False):
    """The details of a task that can be changed."""

    description: str
    """The work to do."""


DETAILS = tuple(TaskDetails.__annotations__)


class Schedule(NamedTuple):
    """The time when a task is due, and how it recurs."""

    due_at: datetime
    anchor: str
    time_zone: str
    recurrence: str | None


class TaskDraft(NamedTuple):
    """A checked task, ready to be stored."""

    details: Mapping[str, Any]
    """The description, the type, the address for the reply, the metadata and the retries."""
    schedule: Schedule
    tolerance: timedelta
    """The allowed distance from the due time of the same task."""


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
    """Check the details of a new task."""
    planned = schedule(due, time_zone, recurrence, now)
    details = {
        "description": checked_text(description, name="description", limit=MAX_DESCRIPTION),
        "type": choice(TaskType, type, name="type"),
        "reply_to": None
        if reply_to is None
        else checked_id(reply_to, name="reply_to", limit=1_000),
        "metadata": checked_metadata(metadata),
        "retries": checked_int(retries, "retries", 0, MAX_RETRIES),
    }
    return TaskDraft(details, planned, _tolerance(due, planned, now))


def schedule(
    due: Moment | timedelta, zone: str | None, recurrence: str | None, now: datetime
) -> Schedule:
    """Return when a task is due. A recurring task is due at its first occurrence from `due` on."""
    name = _zone_name(due, zone)
    at = parse_due(due, name, now)
    wall = _wall_time(due, at, time_zone(name))
    if recurrence is None:
        return Schedule(due_at=at, anchor=wall.isoformat(), time_zone=name, recurrence=None)
    rule, wall = checked_recurrence(recurrence), wall.replace(microsecond=0)
    if at < EPOCH:  # occurrences are counted from there
        raise InvalidInputError(
            "a recurring task begins in 1970 or later", remedy="give a later due"
        )
    first = first_occurrence(rule, wall, time_zone(name))
    if first is None:
        raise InvalidInputError(
            f"{rule} has no occurrence from {wall.isoformat()} on", remedy="check its end"
        )
    return Schedule(due_at=first, anchor=wall.isoformat(), time_zone=name, recurrence=rule)


def parse_due(due: Moment | timedelta, zone: str, now: datetime, *, name: str = "due") -> datetime:
    """Parse a due time. A time without a zone is in the zone of the task."""
    if isinstance(due, datetime) and due.tzinfo is None and zone != "UTC":
        return from_wall_time(due, time_zone(zone))
    return parse_expiry(due, now=now.astimezone(time_zone(zone)), name=name)


def _tolerance(due: Moment | timedelta, planned: Schedule, now: datetime) -> timedelta:
    """Return the tolerance of a due time; it is zero unless the time is relative to now."""
    later = schedule(due, planned.time_zone, planned.recurrence, now + timedelta(seconds=1))
    if planned.recurrence is not None or later == planned:
        return timedelta()
    share = (planned.due_at - now) / 10
    return min(max(share, MIN_TOLERANCE), MAX_TOLERANCE)


def fingerprint(task: Task) -> bytes:
    """Return a fingerprint: equal only for tasks with the same details."""
    clock = (task.anchor, task.time_zone) if task.recurrence else (to_micros(task.occurrence_at),)
    texts = [folded(task.description), task.type, *clock, task.recurrence, task.reply_to]
    details = json.dumps([*texts, dict(task.metadata), task.retries], sort_keys=True)
    return sha256(details.encode()).digest()[:16]


def _zone_name(due: Moment | timedelta, zone: str | None) -> str:
    """Return the given zone, or the zone of the time itself if it has a name."""
    if zone is not None:
        return checked_id(zone, name="time_zone")
    own = getattr(due.tzinfo, "key", None) if isinstance(due, datetime) else None
    return own or "UTC"


def _wall_time(due: Moment | timedelta, at: datetime, zone: tzinfo) -> datetime:
    """Return the wall-clock time; a time in the zone is kept, even if the zone skips it."""
    given = due
    if isinstance(due, str):
        with suppress(ValueError):
            given = datetime.fromisoformat(due.strip())
    if isinstance(given, datetime) and given.tzinfo in (None, zone):
        return given.replace(tzinfo=None, fold=0)
    return to_wall_time(at, zone)
