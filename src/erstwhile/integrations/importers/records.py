"""The records in a file of another program: facts, conversations, blocks, and the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from typing import Any, TypeVar

from erstwhile.core.kinds import Kind
from erstwhile.integrations.conversation_import import ImportedConversation
from erstwhile.integrations.importers.files import first_time, object_of, text_of, texts_of
from erstwhile.operations.results import Refusal

Item = TypeVar("Item")
Owner = Mapping[str, str]
"""The dimensions of the scope of a record, as far as the file says them: user, agent and so on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedFact:
    """A statement that another program stored; `id` is its id there."""

    id: str
    text: str
    owner: Owner = field(default_factory=dict)
    kind: Kind = Kind.FACT
    key: str | None = None
    value: str | None = None
    entities: Sequence[str] = ()
    relations: Sequence[tuple[str, str, str]] = ()
    tags: Sequence[str] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    confidence: float | None = None
    since: datetime | None = None
    """The time at which it became true, or at which the program stored it."""
    until: datetime | None = None
    """The time at which it ends or ended."""
    replaces: str | None = None
    """The id there of the fact that it superseded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FactFields:
    """The fields, or columns, in which a program keeps the parts of a fact."""

    text: str
    id: str = "id"
    owner: Owner = field(default_factory=dict)
    """The field of each dimension."""
    kind: str = ""
    kinds: Mapping[str, Kind] = field(default_factory=dict)
    entities: str = ""
    tags: str = ""
    metadata: str = ""
    confidence: str = ""
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
                owner=owner_of(record, **self.owner),
                kind=self.kinds.get(text_of(record.get(self.kind)), Kind.FACT),
                entities=texts_of(record.get(self.entities)),
                tags=texts_of(record.get(self.tags)),
                metadata=dict(object_of(record.get(self.metadata))),
                confidence=_share(record.get(self.confidence)),
                since=first_time(record, *self.since),
                until=first_time(record, *self.until),
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedBlock:
    """A named text that an agent of another program edited."""

    name: str
    content: str
    description: str = ""
    owner: Owner = field(default_factory=dict)
    limit_tokens: int | None = None
    earlier: Sequence[tuple[str, str]] = ()
    """The earlier texts, oldest first, each with the reason for its change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedEntry:
    """A record of another collection, such as a task or a lesson, as its verb takes it."""

    collection: str
    details: Mapping[str, Any]
    owner: Owner = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedRecords:
    """The content of a file."""

    facts: tuple[ImportedFact, ...] = ()
    conversations: tuple[ImportedConversation, ...] = ()
    blocks: tuple[ImportedBlock, ...] = ()
    entries: tuple[ImportedEntry, ...] = ()
    left_out: tuple[Refusal, ...] = ()

    @property
    def users(self) -> frozenset[str]:
        """The people whom the file names."""
        owners = [
            *(fact.owner for fact in self.facts),
            *(each.owner for each in self.conversations),
            *(block.owner for block in self.blocks),
            *(entry.owner for entry in self.entries),
        ]
        return frozenset(filter(None, (owner.get("user") for owner in owners)))


def facts_of(
    items: Iterable[tuple[int, Item]], read: Callable[[Item], Iterable[ImportedFact]], name: str
) -> ImportedRecords:
    """Return the facts of numbered items. An item that states nothing is left out."""
    facts, left_out = list[ImportedFact](), list[Refusal]()
    for number, item in items:
        found = list(read(item))
        facts += found
        if not found:
            left_out.append(Refusal(place=f"{name} {number}", reason="it states nothing"))
    return ImportedRecords(facts=tuple(facts), left_out=tuple(left_out))


def owner_of(record: Mapping[str, Any], **fields: str) -> Owner:
    """Return the dimensions that are filled in a record; `fields` has the field of each."""
    found = {dimension: text_of(record.get(name)) for dimension, name in fields.items()}
    return {dimension: value for dimension, value in found.items() if value}


def id_of(*parts: object) -> str:
    """Return an id for a statement that has none: the same for the same statement."""
    return sha256("\0".join(map(str, parts)).encode("utf-8", "replace")).hexdigest()[:24]


def _share(value: Any) -> float | None:
    """Return a number between 0 and 1; None if it is none."""
    return float(value) if isinstance(value, int | float) and 0 <= value <= 1 else None
