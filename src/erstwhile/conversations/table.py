"""Read, write and destroy conversations.

Each change first asks for the number of the scope. An engine with several writers locks the scope
there. So two writers that look for the current conversation at the same time find one conversation.

A branch begins with copies. Erasing a message also erases its copies; erasing a branch leaves the
original messages. A conversation that loses a message loses its summary too, because the summary
may repeat the message.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from operator import itemgetter
from typing import Any

from erstwhile.conversations.conversation import (
    Conversation,
    ConversationStats,
    ConversationStatus,
    Message,
    MessageDraft,
    Role,
    Transcript,
    checked_channel,
)
from erstwhile.conversations.messages import (
    add_compaction,
    add_message,
    append_message,
    check_open,
    compactions_of,
    count_message,
    find_by_key,
    last_messages,
    messages_starting_with,
    to_message,
)
from erstwhile.core.errors import ConflictError
from erstwhile.core.ids import new_id
from erstwhile.core.json_values import FrozenDict
from erstwhile.core.kinds import TextKind, choice
from erstwhile.core.ports import Row
from erstwhile.core.results import NEWEST, Page, Receipt, checked_limit, checked_number
from erstwhile.core.scope import Scope
from erstwhile.core.settings import IDLE
from erstwhile.core.text import NO_METADATA
from erstwhile.core.time import to_micros
from erstwhile.storage import erasure, passages, proposals
from erstwhile.storage.access import Access
from erstwhile.storage.columns import RowType
from erstwhile.storage.record import owned, scope_for_new, the_one
from erstwhile.storage.table import EITHER, PRESENT, Table
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View

_audited = itemgetter(
    "channel", "started_at", "parent", "branched_at", "metadata", "closed_at", "summary",
    "deleted_at",
)  # fmt: skip
"""The columns that an audit entry covers, in the order of `stored_conversations`."""


_ALL_MESSAGES = 2**31 - 1
VERB = "hold a conversation"


@dataclass(frozen=True, slots=True)
class MessageFilters:
    """The messages that a search may return. A filter that is left out has no effect."""

    role: Role | str | tuple[Role, ...] | None = None
    channel: str | None = None
    conversation: str | None = None
    """The id of the only conversation to search."""
    exclude: str | None = None
    """The id of a conversation to leave out."""

    def params(self, view: View) -> dict[str, str | None]:
        """Return the filters as parameters of statements."""
        given = self.role if isinstance(self.role, tuple) else (self.role,)
        roles = [choice(Role, role, name="role") for role in given if role is not None]
        return {
            "roles": "".join(f",{role}," for role in roles),  # none means all
            "channel": None if self.channel is None else checked_channel(self.channel),
            "conversation": _id_of(view, self.conversation),
            "exclude": _id_of(view, self.exclude),
        }


class ConversationTable(Table[Conversation]):
    """The table of conversations. One without a message for the time `idle` is idle."""

    noun = "conversation"
    name = "conversations"
    finding = "find_conversations"
    deleting = "find_deleted_conversations"
    holding = "conversations_within"
    batch = 50
    row_type = RowType(Conversation, "conversation", without=("status",))

    def __init__(self, idle: timedelta) -> None:
        self._idle = idle

    def active_since(self, view: View) -> int:
        """Return the earliest time of a last message in an active conversation."""
        return to_micros(view.now) - int(self._idle / timedelta(microseconds=1))

    def to_item(self, view: View, row: Row) -> Conversation:
        active = row[7] >= self.active_since(view)
        status = ConversationStatus.ACTIVE if active else ConversationStatus.IDLE
        status = status if row[10] is None else ConversationStatus.CLOSED
        return self.row_type.decode(row, status=status)

    def find_own(self, unit: Unit, id: str, *, among: tuple[str, ...] = PRESENT) -> Conversation:
        """Find a conversation that the viewer may change, and lock its scope.

        It is read again under the lock, because another writer may have changed it before.
        """
        found = super().find_own(unit, id, among=among)
        unit.scope_id(found.scope)
        return self.find(unit, found.id, among=among)

    def add(
        self,
        unit: Unit,
        scope: Scope,
        channel: str,
        metadata: Mapping[str, Any],
        action: str = "start",
        **branched: str,
    ) -> Conversation:
        """Store a new conversation; others of the channel stay open."""
        new = Conversation(
            id=new_id(unit.now),
            scope=scope,
            channel=channel,
            started_at=unit.now,
            active_at=unit.now,
            metadata=metadata,
            **branched,  # type: ignore[arg-type]
        )
        row = self.row_type.encode(new, scope=unit.scope_id(scope), changed_at=unit.stamp)
        unit.run("add_conversation", row)
        unit.record(f"conversation.{action}", new.id, scope, None, _audited(row))
        return new

    def change(
        self,
        unit: Unit,
        old: Conversation,
        new: Conversation,
        action: str,
        reason: str | None = None,
    ) -> Conversation:
        """Store the next state of a conversation; an equal state changes nothing."""
        if new == old:
            return old
        unit.admit([new.summary or ""], [old.summary or ""])
        scope = unit.scope_id(new.scope)
        row = self.row_type.encode(new, scope=scope, changed_at=unit.stamp)
        unit.run("change_conversation", row)
        if (old.summary, old.deleted_at) != (new.summary, new.deleted_at):
            passages.remove(unit, new.id)
            if new.summary and new.deleted_at is None:
                passages.put(unit, indexed_summary(new, scope))
        unit.record(f"conversation.{action}", new.id, new.scope, reason, _audited(row))
        return new

    def find_current(self, view: View, channel: str, *, idle: bool = False) -> Conversation | None:
        """Return the last open conversation of exactly this scope and channel, if there is one.

        Only an active one, unless `idle`.
        """
        scope_for_new(view.viewer, VERB)
        since = 0 if idle else self.active_since(view)
        params = {"channel": channel, "active_since": since}
        found = self.select(view, "find_current_conversation", params, "own")
        return found[0] if found else None

    def current(self, unit: Unit, channel: str) -> Conversation:
        """Return the active conversation, or start one."""
        scope = scope_for_new(unit.viewer, VERB)
        unit.scope_id(scope)
        return self.find_current(unit, channel) or self.add(unit, scope, channel, NO_METADATA)

    def add_messages(
        self,
        unit: Unit,
        messages: Sequence[MessageDraft],
        conversation: str | None,
        channel: str,
    ) -> list[Message]:
        """Append messages, all or none. A message with a known key is not stored again."""
        into = None if conversation is None else self.find_own(unit, conversation)
        scope = into.scope if into else scope_for_new(unit.viewer, VERB)
        known = [find_by_key(unit, scope, draft) for draft in messages]
        if all(known):
            return [message for message in known if message]
        if into is None:
            # The rest of an exchange belongs to the conversation of its known messages.
            ids = [message.conversation for message in known if message]
            into = self.find_own(unit, ids[0]) if ids else self.current(unit, channel)
        check_open(into)
        return [
            message or append_message(unit, into, draft)
            for message, draft in zip(known, messages, strict=True)
        ]

    def branch(self, unit: Unit, message: Message) -> Conversation:
        """Start a conversation with copies of the messages up to this one."""
        owned(unit.viewer, message)
        if message.undone_at is not None:
            raise ConflictError(
                f"{message.short_id} was undone", remedy="branch from a message that was not undone"
            )
        parent = self.find(unit, message.conversation)
        place = (parent.scope, parent.channel, parent.metadata)
        new = self.add(unit, *place, "branch", parent=parent.id, branched_at=message.id)
        shared = last_messages(unit, parent.id, limit=_ALL_MESSAGES, before=message.position + 1)
        for each in shared:
            unit.tick()
            origin = each.copy_of or each.id
            id = new_id(unit.now)
            copied = replace(each, id=id, conversation=new.id, key=None, copy_of=origin)
            add_message(unit, copied, "copy")
        for compaction in compactions_of(unit, parent.id):
            if compaction.last <= message.position:
                unit.tick()
                summary = replace(compaction, id=new_id(unit.now), conversation=new.id)
                add_compaction(unit, summary, "copy")
        return replace(new, messages=len(shared), active_at=unit.now)

    def erase(self, access: Access, ids: Sequence[str]) -> Receipt:
        """Destroy conversations, deleted or not, or single messages."""
        return erasure.erase(
            access, ids, noun=self.noun, find=self._find_erasable, destroy=self.destroy
        )

    def destroy(self, unit: Unit, items: Sequence[Conversation | Message]) -> Counter[str]:
        """Destroy conversations or messages, with their copies and summaries."""
        messages: dict[str, Message] = {}
        for item in items:
            messages |= {message.id: message for message in _messages_to_erase(unit, item)}
        removed: Counter[str] = Counter()
        conversations = [item for item in items if isinstance(item, Conversation)]
        for conversation in conversations:
            attempts = unit.rows("attempts_of_conversation", {"conversation": conversation.id})
            erasure.destroy_records(unit, "attempts", attempts, removed)
        for message in messages.values():
            _destroy_message(unit, message, removed)
            place = {"conversation": message.conversation, "position": message.position}
            found = unit.rows("compactions_to_erase", place, "at")
            _destroy_compactions(unit, message.scope, found, removed)
        first: dict[str, int] = {}
        for message in messages.values():
            known = first.get(message.conversation, message.position)
            first[message.conversation] = min(known, message.position)
        for id, position in first.items():
            removed["audit_entries"] += proposals.forget_messages(unit, id, position)
            self._destroy_summary(unit, self.find(unit, id, among=EITHER), removed)
        for conversation in conversations:
            _destroy_conversation(unit, conversation, removed)
        return removed

    def destroy_messages(self, unit: Unit, ids: Sequence[str]) -> Counter[str]:
        """Destroy messages, and keep their summaries and compactions."""
        removed: Counter[str] = Counter()
        for id in ids:
            for message in messages_starting_with(unit, id):
                _destroy_message(unit, message, removed)
        return removed

    def messages(self, view: View, id: str, limit: int, cursor: str | None) -> Page[Message]:
        """Return the last messages in order; `next` leads to the page before them."""
        size = checked_limit(limit)
        before = NEWEST if cursor is None else checked_number(cursor)
        found = self.find(view, id)
        last = last_messages(view, found.id, limit=size + 1, before=before)
        page = tuple(last[-size:])
        return Page(page, str(page[0].position) if len(last) > size else None)

    def transcript(self, view: View, id: str, limit: int) -> Transcript:
        """Return a conversation for a prompt: its summaries, then its last messages."""
        size, conversation = checked_limit(limit), self.find(view, id)
        id = conversation.id
        summaries = compactions_of(view, id)
        after = summaries[-1].last if summaries else 0
        last = last_messages(view, id, limit=size, after=after)
        count = len(last)
        if count == size:  # there may be more
            [(count,)] = view.rows("count_messages_after", {"conversation": id, "after": after})
        return Transcript(
            conversation=conversation,
            compactions=tuple(summaries),
            omitted=count - len(last),
            messages=tuple(last),
        )

    def stats(self, view: View) -> ConversationStats:
        """Count the visible conversations by status, and their messages by role."""
        params = {"active_since": self.active_since(view)}
        counts: dict[str, int] = dict(view.rows("count_conversations", params))
        roles: dict[str, int] = dict(view.rows("tally_messages", {}))
        return ConversationStats(
            **{status: counts.get(status, 0) for status in ("active", "idle", "closed", "deleted")},
            messages=sum(roles.values()),
            roles=FrozenDict(roles),
        )

    def _find_erasable(self, unit: Unit, id: str) -> Sequence[Conversation | Message]:
        """Return the one conversation or message whose id starts with `id`, and lock its scope."""
        found: list[Conversation | Message] = [
            *self.starting_with(unit, id, EITHER),
            *messages_starting_with(unit, id),
        ]
        remedy = "see the ids with `conversations.list`"
        item = the_one(found, "conversation or message", id, remedy=remedy)
        unit.scope_id(owned(unit.viewer, item).scope)
        return [item]

    def _destroy_summary(
        self, unit: Unit, conversation: Conversation, removed: Counter[str]
    ) -> None:
        if conversation.summary is None:
            return
        _overwrite(unit, conversation, whole=False)
        removed["summaries"] += 1
        removed["audit_entries"] += erasure.blank(unit, conversation.id, conversation.scope)
        self.change(unit, conversation, replace(conversation, summary=None), "forget")


def indexed_summary(conversation: Conversation, scope: int) -> passages.IndexedText:
    """Return the summary of a conversation as the search index needs it."""
    text = conversation.summary or ""
    return passages.IndexedText(kind=TextKind.SUMMARIES, id=conversation.id, scope=scope, text=text)


def _messages_to_erase(unit: Unit, item: Conversation | Message) -> list[Message]:
    """Return the messages of a conversation, or a message, with all copies."""
    if isinstance(item, Conversation):
        rows = unit.rows("messages_to_erase", {"conversation": item.id})
        return [to_message(row) for row in rows]
    return [item, *(to_message(row) for row in unit.rows("find_copies", {"id": item.id}))]


def _destroy_message(unit: Unit, message: Message, removed: Counter[str]) -> None:
    if message.undone_at is None:
        count_message(unit, message.conversation, added=-1)
    unit.run("overwrite_message", {"id": message.id, "blank": _zeros(message.content)})
    passages.remove(unit, message.id)
    unit.run("remove_message", {"id": message.id})
    removed["messages"] += 1
    removed["audit_entries"] += erasure.forget(unit, message.id, message.scope)


def _destroy_compactions(
    unit: Unit, scope: Scope, found: Sequence[Row], removed: Counter[str]
) -> None:
    """Destroy compactions of a scope: rows of an id and a summary."""
    for id, summary in found:
        unit.run("overwrite_compaction", {"id": id, "blank": _zeros(summary)})
        unit.run("remove_compaction", {"id": id})
        removed["summaries"] += 1
        removed["audit_entries"] += erasure.forget(unit, id, scope)


def _destroy_conversation(unit: Unit, conversation: Conversation, removed: Counter[str]) -> None:
    unit.run("remove_learning", {"conversation": conversation.id})
    left = unit.rows("compactions_to_erase", {"conversation": conversation.id}, "all")
    _destroy_compactions(unit, conversation.scope, left, removed)
    passages.remove(unit, conversation.id)
    _overwrite(unit, conversation, whole=True)
    unit.run("remove_conversation", {"id": conversation.id})
    removed["conversations"] += 1
    removed["audit_entries"] += erasure.forget(unit, conversation.id, conversation.scope)


def _overwrite(unit: Unit, conversation: Conversation, *, whole: bool) -> None:
    blank = {"blank": _zeros(conversation.summary), "whole": int(whole)}
    unit.run("overwrite_conversation", {"id": conversation.id, **blank})


def _zeros(text: str | None) -> str:
    """Return zeros with the byte length of the text, to overwrite it."""
    return "0" * len((text or "").encode())


def _id_of(view: View, given: str | None) -> str | None:
    """Return the full id of a conversation. Its status, which depends on `idle`, is not used."""
    return None if given is None else ConversationTable(IDLE).find(view, given).id
