"""What a reader finds in a file of another program: facts, conversations, blocks, and troubles."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from typing import Any, TypeVar

from erstwhile.core.kinds import Kind
from erstwhile.integrations.conversation_import import ImportedConversation, UnreadablePart
from erstwhile.integrations.importers.files import first_time, object_of, text_of, texts_of

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedFact:
    """A statement that another program stored; `id` is its id there."""

    id: str
    text: str
    user: str | None = None
    """Whose fact it is, if the file says so."""
    kind: Kind = Kind.FACT
    entities: Sequence[str] = ()
    relations: Sequence[tuple[str, str, str]] = ()
    tags: Sequence[str] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    since: datetime | None = None
    """When it became true, or when the program stored it."""
    until: datetime | None = None
    """When it ceased to be true."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FactFields:
    """The fields, or columns, in which a program keeps the parts of a fact."""

    text: str
    id: str = "id"
    user: str = ""
    kind: str = ""
    kinds: Mapping[str, Kind] = field(default_factory=dict)
    entities: str = ""
    tags: str = ""
    metadata: str = ""
    since: Sequence[str] = ("created_at",)
    """The first of these that is not empty counts; so does the first of `until`."""
    until: Sequence[str] = ()

    def read(self, record: Mapping[str, Any]) -> Iterator[ImportedFact]:
        """Yield the fact of a record, if it has a text."""
        text, id = text_of(record.get(self.text)), record.get(self.id)
        if text:
            yield ImportedFact(
                id=("" if id is None else str(id)) or id_of(text),
                text=text,
                user=text_of(record.get(self.user)) or None,
                kind=self.kinds.get(text_of(record.get(self.kind)), Kind.FACT),
                entities=texts_of(record.get(self.entities)),
                tags=texts_of(record.get(self.tags)),
                metadata=dict(object_of(record.get(self.metadata))),
                since=first_time(record, *self.since),
                until=first_time(record, *self.until),
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedBlock:
    """A named text that an agent of another program edited."""

    name: str
    content: str
    description: str = ""
    user: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedRecords:
    """The content of a file."""

    facts: tuple[ImportedFact, ...] = ()
    conversations: tuple[ImportedConversation, ...] = ()
    blocks: tuple[ImportedBlock, ...] = ()
    left_out: tuple[UnreadablePart, ...] = ()

    @property
    def users(self) -> frozenset[str]:
        """The people whom the file names."""
        named = [*(fact.user for fact in self.facts), *(block.user for block in self.blocks)]
        return frozenset(filter(None, named))


def facts_of(
    items: Iterable[tuple[int, Item]], read: Callable[[Item], Iterable[ImportedFact]], name: str
) -> ImportedRecords:
    """Return the facts of numbered items. An item that states nothing is left out."""
    facts, left_out = list[ImportedFact](), list[UnreadablePart]()
    for number, item in items:
        found = list(read(item))
        facts += found
        if not found:
            left_out.append(UnreadablePart(place=f"{name} {number}", reason="it states nothing"))
    return ImportedRecords(facts=tuple(facts), left_out=tuple(left_out))


def id_of(*parts: object) -> str:
    """Return an id for a statement that has none: the same for the same statement."""
    return sha256("\0".join(map(str, parts)).encode("utf-8", "replace")).hexdigest()[:24]
