"""Records in one line, to be told what was done to which."""

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
def line(record: Any) -> str:
    raise TypeError(f"no line for a {type(record).__name__}")


@line.register
def _fact(fact: Fact) -> str:
    return safe_line(fact.text)


@line.register
def _outcome(outcome: Outcome) -> str:
    return safe_line(f"{outcome.domain} {outcome.score:+d} {outcome.note or ''}".strip())


@line.register
def _lesson(lesson: Lesson) -> str:
    return safe_line(f"{lesson.domain}: {lesson.rule}")


@line.register
def _observation(observation: Observation) -> str:
    return safe_line(f"{observation.type}: {observation.title}")


@line.register
def _limitation(limitation: Limitation) -> str:
    return safe_line(limitation.title)


@line.register
def _usage(entry: UsageEntry) -> str:
    return safe_line(f"{entry.model}, tokens {entry.input:,} in and {entry.output:,} out")


@line.register
def _conflict(conflict: Conflict) -> str:
    return safe_line(f"{conflict.older.text} / {conflict.newer.text}")


@line.register
def _attempt(attempt: Attempt) -> str:
    return safe_line(f"{attempt.outcome}: {attempt.reason or attempt.method}")


@line.register
def _conversation(conversation: Conversation) -> str:
    about = f": {conversation.summary}" if conversation.summary else ""
    return safe_line(f"{conversation.channel}, messages {conversation.messages:,}{about}")


@line.register
def _message(message: Message) -> str:
    return safe_line(f"{message.role}: {message.content}")


@line.register
def _task(task: Task) -> str:
    return safe_line(f"{task.description} ({task.status}, due {task.due_at:%Y-%m-%d %H:%M})")


@line.register
def _checkpoint(checkpoint: Checkpoint) -> str:
    return safe_line(f"{checkpoint.run}: {checkpoint.phase} ({checkpoint.status})")
