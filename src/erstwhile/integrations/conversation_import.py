"""Store conversations from other programs in a memory: complete, and only once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from erstwhile.conversations.conversation import (
    Conversation,
    ConversationStatus,
    Role,
    checked_summary,
    draft_from_mapping,
)
from erstwhile.core.errors import ConflictError, InvalidInputError
from erstwhile.core.results import all_items
from erstwhile.core.text import checked_metadata
from erstwhile.operations.results import Refusal

if TYPE_CHECKING:
    from erstwhile.memory import Memory

_MAX_LABEL = 120
_NAME_TAKEN = (
    "another conversation has this name already: rename the file, or give each line a "
    "`conversation`"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedMessage:
    """A message of another program; `id` is its id there."""

    id: str
    role: Role
    content: str
    at: datetime | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedConversation:
    """A conversation from a file; its `name` is unique."""

    name: str
    messages: tuple[ImportedMessage, ...]
    owner: Mapping[str, str] = field(default_factory=dict)
    """The dimensions of its scope, as far as the file says them."""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    """Details of the program, such as `title`, `started_at` and `channel`."""
    summary: str | None = None
    closed: bool = False

    @property
    def channel(self) -> str:
        """A channel for this conversation alone, so that a second import finds the conversation."""
        return _label(self.name)

    def key(self, message: ImportedMessage) -> str:
        """Return the idempotency key of a message, so that a repeated import stores it once."""
        return _label(f"{self.name}#{message.id}")

    @property
    def label(self) -> str:
        """Its date and title for people, as far as they are known."""
        times = [message.at.isoformat() for message in self.messages if message.at is not None]
        date = str(self.metadata.get("started_at") or min(times, default=""))[:10]
        return " ".join(filter(None, (date, str(self.metadata.get("title") or self.name))))

    def to_mapping(self, message: ImportedMessage) -> Mapping[str, Any]:
        """Return a message as `add_many` takes it."""
        return {
            "role": message.role,
            "content": message.content,
            "said_at": message.at,
            "key": self.key(message),
            "metadata": message.metadata,
        }


def counted(reasons: Iterable[tuple[str, str]]) -> tuple[Refusal, ...]:
    """Return each place with a reason once, with the number of its records."""
    return tuple(
        Refusal(place=place, reason=reason, count=count)
        for (place, reason), count in Counter(reasons).items()
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportResult:
    """The result of importing one file."""

    conversations: tuple[str, ...]
    """The ids of all conversations of the file, new or stored before, the oldest first."""
    messages: int
    """The number of new messages."""
    known: int
    """The number of messages that an earlier import stored."""
    left_out: tuple[Refusal, ...]


def import_conversations(
    memory: Memory,
    conversations: Sequence[ImportedConversation],
    progress: Callable[[int, int], None] = lambda _done, _total: None,
    *,
    preview: bool = False,
    on_new: Callable[[ImportedConversation], None] = lambda _conversation: None,
) -> ImportResult:
    """Store conversations, the oldest first. Messages that are stored already stay unchanged.

    A preview stores nothing; its conversations have their names instead of ids. `on_new` gets each
    conversation with new messages.
    """
    ids, new, known, skipped = list[str](), 0, 0, list[Refusal]()
    for number, conversation in enumerate(sorted(conversations, key=_started_at), 1):
        try:
            plan = _Plan.of(memory, conversation)
            ids.append(conversation.name if preview else plan.store(memory))
            new, known = new + len(plan.new), known + plan.known
            if plan.is_new:
                on_new(conversation)
        except ConflictError:
            skipped.append(Refusal(place=conversation.name, reason=_NAME_TAKEN))
        except InvalidInputError as error:
            skipped.append(Refusal(place=conversation.name, reason=error.message))
        progress(number, len(conversations))
    return ImportResult(
        conversations=tuple(ids), messages=new, known=known, left_out=tuple(skipped)
    )


@dataclass(frozen=True, slots=True)
class _Plan:
    """A plan to import a conversation: where its messages go, and which of them are new."""

    conversation: ImportedConversation
    stored: Conversation | None
    new: Sequence[Mapping[str, Any]]
    known: int

    @classmethod
    def of(cls, memory: Memory, conversation: ImportedConversation) -> _Plan:
        """Compare a conversation with the stored one. Raise the errors of storing it."""
        stored = _stored(memory, conversation)
        kept = {} if stored is None else dict(_texts_by_key(memory, stored))
        checked_metadata(conversation.metadata)
        if conversation.summary is not None:
            checked_summary(conversation.summary)
        new, now = list[Mapping[str, Any]](), datetime.now(UTC)
        for message in map(conversation.to_mapping, conversation.messages):
            checked = draft_from_mapping(message, now=now)
            if checked.key not in kept:
                kept[checked.key] = checked.content
                new.append(message)
            elif kept[checked.key] != checked.content:
                raise ConflictError(f"{checked.key} is another message")
        if stored is not None and stored.deleted_at is not None:
            return cls(conversation, stored, (), len(conversation.messages))
        return cls(conversation, stored, new, len(conversation.messages) - len(new))

    @property
    def is_new(self) -> bool:
        """Whether there is anything to store; a conversation may have only a summary."""
        return self.stored is None or bool(self.new)

    def store(self, memory: Memory) -> str:
        """Store the new messages, and return the id of the conversation."""
        conversations, wanted = memory.conversations, self.conversation
        stored = self.stored or conversations.start(wanted.channel, metadata=wanted.metadata)
        if self.new and stored.status is ConversationStatus.CLOSED:
            conversations.reopen(stored.id)
        if self.new:
            conversations.add_many(self.new, conversation=stored.id)
        if self.is_new and wanted.closed:
            conversations.close(stored.id, wanted.summary)
        return stored.id


def _stored(memory: Memory, conversation: ImportedConversation) -> Conversation | None:
    """Return the conversation of an earlier import, also a deleted one."""
    for deleted in (False, True):
        found = memory.conversations.list(channel=conversation.channel, deleted=deleted)
        for each in found:
            if each.scope == memory.scope:
                return each
    return None


def _texts_by_key(memory: Memory, stored: Conversation) -> Iterator[tuple[str | None, str]]:
    """Yield the keys and texts of stored messages; a deleted conversation shows none."""
    if stored.deleted_at is None:
        for message in all_items(memory.conversations.messages, stored.id):
            yield message.key, message.content


def _started_at(conversation: ImportedConversation) -> datetime:
    """Return the time of the first message.

    Exports begin with the newest conversation, but learning must see the oldest first.
    """
    times = [message.at for message in conversation.messages if message.at is not None]
    return min(times, default=datetime.max.replace(tzinfo=UTC))


def _label(name: str) -> str:
    if len(name) <= _MAX_LABEL and name.isprintable():
        return name
    return f"imported:{sha256(name.encode('utf-8', 'replace')).hexdigest()[:32]}"
