"""Records in one line, for messages that say what was done to which record."""

from __future__ import annotations

from typing import Any

from erstwhile.cli.safe_text import safe_line
from erstwhile.conversations.conversation import Conversation, Message
from erstwhile.facts.conflict import Conflict
from erstwhile.facts.fact import Fact
from erstwhile.learning.attempts import Attempt
from erstwhile.records.model import Lesson, Limitation, Observation, Outcome
from erstwhile.snapshots.snapshot import Snapshot
from erstwhile.tasks.checkpoint import Checkpoint
from erstwhile.tasks.task import Task
from erstwhile.usage.entry import UsageEntry


def describe(record: Any) -> str:
    """Return one line that identifies a record."""
    return safe_line(_description(record))


def _description(record: Any) -> str:
    match record:
        case Fact():
            return record.text
        case Outcome():
            return f"{record.domain} {record.score:+d} {record.note or ''}".strip()
        case Lesson():
            return f"{record.domain}: {record.rule}"
        case Observation():
            return f"{record.type}: {record.title}"
        case Limitation():
            return record.title
        case UsageEntry():
            return f"{record.model}, tokens {record.input:,} in and {record.output:,} out"
        case Conflict():
            return f"{record.older.text} / {record.newer.text}"
        case Attempt():
            return f"{record.outcome}: {record.reason or record.method}"
        case Conversation():
            summary = f": {record.summary}" if record.summary else ""
            return f"{record.channel}, messages {record.messages:,}{summary}"
        case Message():
            return f"{record.role}: {record.content}"
        case Task():
            return f"{record.description} ({record.status}, due {record.due_at:%Y-%m-%d %H:%M})"
        case Snapshot():
            return f"{record.name} ({record.at:%Y-%m-%d %H:%M:%S})"
        case Checkpoint():
            return f"{record.run}: {record.phase} ({record.status})"
    raise TypeError(f"no description of a {type(record).__name__}")
