"""Records in one line, for messages that say what was done to which record."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

from erstwhile.cli.safe_text import safe_line
from erstwhile.conversations.conversation import Conversation, Message
from erstwhile.facts.conflict import Conflict
from erstwhile.facts.fact import Fact
from erstwhile.learning.attempt import Attempt
from erstwhile.records.model import Lesson, Limitation, Observation, Outcome
from erstwhile.tasks.checkpoint import Checkpoint
from erstwhile.tasks.task import Task
from erstwhile.usage.entry import UsageEntry


@singledispatch
def describe(record: Any) -> str:
    """Return one line that identifies a record."""
    raise TypeError(f"no description of a {type(record).__name__}")


@describe.register
def _fact(fact: Fact) -> str:
    return safe_line(fact.text)


@describe.register
def _outcome(outcome: Outcome) -> str:
    return safe_line(f"{outcome.domain} {outcome.score:+d} {outcome.note or ''}".strip())


@describe.register
def _lesson(lesson: Lesson) -> str:
    return safe_line(f"{lesson.domain}: {lesson.rule}")


@describe.register
def _observation(observation: Observation) -> str:
    return safe_line(f"{observation.type}: {observation.title}")


@describe.register
def _limitation(limitation: Limitation) -> str:
    return safe_line(limitation.title)


@describe.register
def _usage(entry: UsageEntry) -> str:
    return safe_line(f"{entry.model}, tokens {entry.input:,} in and {entry.output:,} out")


@describe.register
def _conflict(conflict: Conflict) -> str:
    return safe_line(f"{conflict.older.text} / {conflict.newer.text}")


@describe.register
def _attempt(attempt: Attempt) -> str:
    return safe_line(f"{attempt.outcome}: {attempt.reason or attempt.method}")


@describe.register
def _conversation(conversation: Conversation) -> str:
    about = f": {conversation.summary}" if conversation.summary else ""
    return safe_line(f"{conversation.channel}, messages {conversation.messages:,}{about}")


@describe.register
def _message(message: Message) -> str:
    return safe_line(f"{message.role}: {message.content}")


@describe.register
def _task(task: Task) -> str:
    return safe_line(f"{task.description} ({task.status}, due {task.due_at:%Y-%m-%d %H:%M})")


@describe.register
def _checkpoint(checkpoint: Checkpoint) -> str:
    return safe_line(f"{checkpoint.run}: {checkpoint.phase} ({checkpoint.status})")
