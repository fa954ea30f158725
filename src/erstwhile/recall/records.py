"""Read messages, observations, lessons and summaries: recall among facts needs none of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from erstwhile.conversations.messages import find_message, messages_by_id
from erstwhile.conversations.table import ConversationTable
from erstwhile.core.errors import NotFoundError
from erstwhile.core.kinds import TextKind
from erstwhile.core.settings import IDLE
from erstwhile.facts.table import FACTS
from erstwhile.recall.hits import Recalled
from erstwhile.records.lessons import LESSONS
from erstwhile.records.observations import OBSERVATIONS
from erstwhile.storage.table import EITHER, Table
from erstwhile.storage.view import View

_TABLES: Mapping[TextKind, Table[Any]] = {
    TextKind.FACTS: FACTS,
    TextKind.OBSERVATIONS: OBSERVATIONS,
    TextKind.LESSONS: LESSONS,
    TextKind.SUMMARIES: ConversationTable(IDLE),
}


def read_records(view: View, kind: TextKind, ids: Sequence[str]) -> Mapping[str, Recalled]:
    """Return records of one kind by their ids."""
    if kind is TextKind.MESSAGES:
        return messages_by_id(view, list(ids))
    return {id: _TABLES[kind].find(view, id) for id in ids}


def find_record(view: View, id: str, among: Iterable[TextKind]) -> Recalled:
    """Return the visible record of one of these kinds, deleted or not."""
    failure: NotFoundError | None = None
    for kind in sorted(among, key=list(TextKind).index):
        try:
            if kind is TextKind.MESSAGES:
                return find_message(view, id)
            found: Recalled = _TABLES[kind].find(view, id, among=EITHER)
            return found
        except NotFoundError as error:
            failure = failure or error
    raise failure or NotFoundError(f"no record {id!r} is visible here")
