"""Read the messages, observations, lessons and summaries that recall found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from erstwhile.conversations.messages import messages_by_id
from erstwhile.conversations.table import ConversationTable
from erstwhile.core.defaults import IDLE
from erstwhile.core.kinds import TextKind
from erstwhile.recall.hits import Recalled
from erstwhile.records.lessons import LESSONS
from erstwhile.records.observations import OBSERVATIONS
from erstwhile.storage.table import Table
from erstwhile.storage.view import View

TABLES: Mapping[TextKind, Table[Any]] = {
    TextKind.OBSERVATIONS: OBSERVATIONS,
    TextKind.LESSONS: LESSONS,
    TextKind.SUMMARIES: ConversationTable(IDLE),
}


def read(view: View, kind: TextKind, ids: list[str]) -> Mapping[str, Recalled]:
    """Return records of one of these kinds by their ids."""
    if kind is TextKind.MESSAGES:
        return messages_by_id(view, ids)
    return {id: TABLES[kind].find(view, id) for id in ids}
