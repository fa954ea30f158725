"""Destroying conversations and messages, with every copy and every summary that tells of them.

A branch begins with copies. Erasing a message also erases the copies that were made of it; erasing
a branch leaves the messages that it was made of. A conversation that loses a message loses its
summary, too: nobody can tell what of the message stands in it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import timedelta

from erstwhile.conversations import table
from erstwhile.conversations.conversation import Conversation, Message
from erstwhile.conversations.rows import to_message
from erstwhile.conversations.table import Idleness
from erstwhile.core.errors import InvalidInputError, NotFoundError
from erstwhile.core.receipt import Receipt
from erstwhile.core.time import Moment
from erstwhile.storage import erasure
from erstwhile.storage import full_text as fulltext
from erstwhile.storage.access import Access
from erstwhile.storage.lookup import owned, the_one
from erstwhile.storage.unit import Unit

_BATCH = 50


def erase(access: Access, idleness: Idleness, ids: Sequence[str]) -> Receipt:
    if not ids:
        raise InvalidInputError("no id was given", remedy="name all that is to be erased")

    def erased(unit: Unit) -> Receipt:
        removed: Counter[str] = Counter()
        done = [_erase_one(unit, idleness, given, removed) for given in ids]
        return erasure.receipt_of(unit.now, done, removed)

    receipt = access.change(erased, alone=True)
    erasure.rewrite(access)
    return receipt


def purge(access: Access, idleness: Idleness, older_than: Moment | timedelta) -> Receipt:
    def purged(unit: Unit) -> erasure.Destroyed:
        wanted = {"before": erasure.so_long_ago(unit, older_than), "limit": _BATCH}
        rows = unit.rows("find_deleted_conversations", wanted, erasure.own(unit))
        found, removed = idleness.read(unit, rows), Counter[str]()
        for conversation in found:
            _destroy(unit, idleness, conversation, removed)
        return unit.now, [conversation.id for conversation in found], removed

    return erasure.receipt_of(*erasure.in_batches(access, purged))


def _erase_one(unit: Unit, idleness: Idleness, given: str, removed: Counter[str]) -> str:
    """What was erased before has only its id left: to erase it again is no error."""
    try:
        found = _meant(unit, idleness, given)
    except NotFoundError:
        before = erasure.erased_before(unit, given)
        if before is None:
            raise
        return before
    unit.scope_id(owned(unit.viewer, found).scope)
    if isinstance(found, Conversation):
        _destroy(unit, idleness, found, removed)
    else:
        copies = [to_message(row) for row in unit.rows("find_copies", {"id": found.id})]
        _destroy_messages(unit, idleness, [found, *copies], removed)
    return found.id


def _meant(unit: Unit, idleness: Idleness, given: str) -> Conversation | Message:
    """A conversation, deleted or not, or a message: a beginning that fits both is ambiguous."""
    conversations = table.beginning(unit, idleness, given, table.EITHER)
    found: list[Conversation | Message] = [
        *conversations,
        *table.messages_beginning(unit, given),
    ]
    remedy = "see what is there with `conversations.list`"
    return the_one(found, "conversation or message", given, remedy=remedy)


def _destroy(
    unit: Unit, idleness: Idleness, conversation: Conversation, removed: Counter[str]
) -> None:
    rows = unit.rows("messages_to_erase", {"conversation": conversation.id})
    _destroy_messages(unit, idleness, [to_message(row) for row in rows], removed)
    attempts = unit.rows("attempts_of_conversation", {"conversation": conversation.id})
    erasure.destroy_records(unit, "attempts", attempts, removed)
    unit.run("remove_learning", {"conversation": conversation.id})
    _overwrite(unit, conversation, whole=True)
    unit.run("remove_conversation", {"id": conversation.id})
    removed["conversations"] += 1
    removed["audit_entries"] += erasure.forget(unit, conversation.id, conversation.scope)


def _destroy_messages(
    unit: Unit, idleness: Idleness, messages: Sequence[Message], removed: Counter[str]
) -> None:
    for message in messages:
        if message.undone_at is None:
            touched = {"id": message.conversation, "added": -1, "active_at": 0}
            unit.run("touch_conversation", touched)
        unit.run("overwrite_message", {"id": message.id, "blank": _zeros(message.content)})
        fulltext.remove(unit, message.id)
        unit.run("remove_message", {"id": message.id})
        removed["messages"] += 1
        removed["audit_entries"] += erasure.forget(unit, message.id, message.scope)
        _destroy_compactions(unit, message, removed)
    for id in dict.fromkeys(message.conversation for message in messages):
        _destroy_summary(unit, table.find(unit, idleness, id, among=table.EITHER), removed)


def _destroy_compactions(unit: Unit, message: Message, removed: Counter[str]) -> None:
    place = {"conversation": message.conversation, "position": message.position}
    for id, summary in unit.rows("compactions_to_erase", place):
        unit.run("overwrite_compaction", {"id": id, "blank": _zeros(summary)})
        unit.run("remove_compaction", {"id": id})
        removed["summaries"] += 1
        removed["audit_entries"] += erasure.forget(unit, id, message.scope)


def _destroy_summary(unit: Unit, conversation: Conversation, removed: Counter[str]) -> None:
    if conversation.summary is None:
        return
    _overwrite(unit, conversation, whole=False)
    removed["summaries"] += 1
    removed["audit_entries"] += unit.run("blank_entries", {"subject": conversation.id})
    table.change(unit, conversation, "forget", summary=None)


def _overwrite(unit: Unit, conversation: Conversation, *, whole: bool) -> None:
    blank = {"blank": _zeros(conversation.summary), "whole": int(whole)}
    unit.run("overwrite_conversation", {"id": conversation.id, **blank})


def _zeros(text: str | None) -> str:
    """As many bytes as the text has, to lie where it lay."""
    return "0" * len((text or "").encode())
