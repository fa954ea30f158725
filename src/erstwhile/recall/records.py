"""Read the full records that recall found, of every kind."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from erstwhile.conversations.conversation import Conversation, Message
from erstwhile.conversations.messages import messages_by_id
from erstwhile.core.kinds import TextKind
from erstwhile.facts import usage as fact_uses
from erstwhile.facts.fact import Fact
from erstwhile.facts.rows import to_fact
from erstwhile.facts.usage_signals import NO_SIGNALS, Signals
from erstwhile.recall.hits import Recalled
from erstwhile.records.model import Lesson, Observation
from erstwhile.storage.view import View


def full_records(
    view: View, wanted: Iterable[tuple[TextKind, str]]
) -> dict[str, tuple[Recalled, Signals]]:
    """Return records by their ids, with the usage of facts."""
    ids: dict[TextKind, list[str]] = {}
    for kind, id in wanted:
        ids.setdefault(kind, []).append(id)
    found: dict[str, tuple[Recalled, Signals]] = {}
    for kind, some in ids.items():
        if kind is TextKind.FACTS:
            found |= _facts(view, some)
        else:
            found |= {id: (each, NO_SIGNALS) for id, each in _others(view, kind, some).items()}
    return found


def _facts(view: View, ids: Sequence[str]) -> dict[str, tuple[Fact, Signals]]:
    """Return facts with their usage; a view of the past has no usage."""
    rows = view.rows("facts_in_full", {"ids": json.dumps(ids)})
    facts = [(to_fact(row[1:]), bool(row[0])) for row in rows]
    used = [fact for fact, is_used in facts if is_used and not view.is_past]
    signals = fact_uses.signals(view, used) if used else {}
    return {fact.id: (fact, signals.get(fact.id, NO_SIGNALS)) for fact, _ in facts}


def _others(view: View, kind: TextKind, ids: list[str]) -> Mapping[str, Recalled]:
    if kind is TextKind.MESSAGES:
        return messages_by_id(view, ids)
    # Imported here: recall among facts does not load the collections of other records.
    from erstwhile.recall.notes import read_notes

    return read_notes(view, kind, ids)


def text_of(record: Recalled) -> str:
    """Return the text of a record, as its passages count it."""
    match record:
        case Fact():
            return record.text
        case Message():
            return record.content
        case Observation() | Lesson():
            return record.searched
        case Conversation():
            return record.summary or ""


def told_at(record: Recalled) -> datetime:
    """Return when a record was said or recorded."""
    match record:
        case Message():
            return record.said_at
        case Conversation():
            return record.active_at
        case Observation() | Lesson():
            return record.created_at
        case _:
            return record.recorded_at
