"""The records that are searched: what the index should have of each, and where it has not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import partial
from typing import Any

from erstwhile.conversations.messages import indexed_message, messages_by_id
from erstwhile.conversations.table import ConversationTable, indexed_summary
from erstwhile.core.errors import CorruptError
from erstwhile.core.kinds import TextKind
from erstwhile.core.ports import Analyser, Row
from erstwhile.core.scope import Scope
from erstwhile.facts.table import FACTS
from erstwhile.facts.text_index import indexed_text
from erstwhile.records.lessons import LESSONS
from erstwhile.records.observations import OBSERVATIONS
from erstwhile.storage import passages
from erstwhile.storage.access import Access
from erstwhile.storage.passages import IndexedText
from erstwhile.storage.record_table import RecordTable
from erstwhile.storage.table import EITHER
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View

_AT_ONCE = 500
"""The records that are compared on one snapshot."""
_CONVERSATIONS = ConversationTable(timedelta())
_RECORDS: dict[TextKind, RecordTable[Any]] = {
    TextKind.OBSERVATIONS: OBSERVATIONS,
    TextKind.LESSONS: LESSONS,
}


def index_record(unit: Unit, kind: TextKind, id: str) -> None:
    """Index a stored record that has no passages yet."""
    passages.put(unit, _searched_text(unit, kind, id, unit.scope_id))


def wrong_records(access: Access, kind: TextKind) -> Iterator[Row]:
    """Yield the ids of the records whose passages are missing, or are not those of their text."""
    after = ""
    while True:
        ids, wrong = access.ask(partial(_compared, access.analyser, kind, after))
        yield from ((id,) for id in wrong)
        if len(ids) < _AT_ONCE:
            return
        after = ids[-1]


def _compared(
    analyser: Analyser, kind: TextKind, after: str, view: View
) -> tuple[list[str], list[str]]:
    """Return the ids of some records, and those of them whose passages are wrong."""
    rows = view.rows("searched_records", {"after": after, "limit": _AT_ONCE}, kind)
    ids = [id for (id,) in rows]
    return ids, [id for id in ids if _is_wrong(view, analyser, kind, id)]


def _is_wrong(view: View, analyser: Analyser, kind: TextKind, id: str) -> bool:
    try:
        text = _searched_text(view, kind, id, lambda _scope: 0)
    except CorruptError:  # the record itself is damaged: the audit trail tells it
        return False
    return passages.differ(view, analyser, text)


def _searched_text(
    view: View, kind: TextKind, id: str, number_of: Callable[[Scope], int]
) -> IndexedText:
    """Return a stored record as the index needs it."""
    if kind is TextKind.MESSAGES:
        message = messages_by_id(view, [id])[id]
        return indexed_message(message, number_of(message.scope))
    if kind is TextKind.SUMMARIES:
        talk = _CONVERSATIONS.find(view, id, among=EITHER)
        return indexed_summary(talk, number_of(talk.scope))
    if kind is TextKind.FACTS:
        fact = FACTS.find(view, id, among=EITHER)
        return indexed_text(fact, number_of(fact.scope))
    item = _RECORDS[kind].find(view, id)
    text = _RECORDS[kind].text(item)
    return IndexedText(kind=kind, id=id, scope=number_of(item.scope), text=text)
