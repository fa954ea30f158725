"""When a fact was said: memory may learn it long after that, from a conversation of years ago."""

from __future__ import annotations

from datetime import datetime

from erstwhile.core.time import from_micros
from erstwhile.facts.fact import Fact
from erstwhile.storage.view import View


def was_said_after(view: View, fact: Fact, moment: datetime) -> bool:
    """Whether it was; nothing is said after it is stored."""
    return fact.recorded_at > moment and said_at(view, fact) > moment


def said_at(view: View, fact: Fact) -> datetime:
    """When its messages were said; without any, when it was stored."""
    messages = () if fact.source is None else fact.source.messages
    times = [view.rows("said_last", {"message": message})[0][0] for message in messages]
    known = [from_micros(time) for time in times if time is not None]
    return max(known, default=fact.recorded_at)
