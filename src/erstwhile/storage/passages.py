"""The search index of all records: their passages, with the terms of each.

Words and vectors compare passages, which are two to four sentences; a short record is one passage.
A partition holds the passages of one group of records in one scope. Every term is marked with its
partition, and with whether the record is open. So a search or a count is as fast as in a separate
index for each partition.

In the unit that writes a record, a collection calls `put`; when the state or the labels of the
record change, `change`; to hide or erase it, `remove`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple

from erstwhile.core.kinds import TextKind

if TYPE_CHECKING:
    from erstwhile.core.ports import Analyser
    from erstwhile.storage.unit import Unit
    from erstwhile.storage.view import View

MAX_EMBEDDED = 64
"""The passages of one record that get a vector. Of a longer text the rest is found by words."""


class PartitionGroup(IntEnum):
    """The groups of records. The passages of a group and a scope are one partition."""

    FACTS = 0
    MESSAGES = 1
    NOTES = 2
    DECISIONS = 3


_GROUPS = {TextKind.FACTS: PartitionGroup.FACTS, TextKind.MESSAGES: PartitionGroup.MESSAGES}


class Partition(NamedTuple):
    """A visible partition, with the number of its changes, passages and terms."""

    id: int
    changes: int
    passages: int
    terms: int

    @property
    def group(self) -> PartitionGroup:
        return PartitionGroup(self.id % len(PartitionGroup))


class _Part(NamedTuple):
    """The columns of one passage of a record."""

    start: int
    length: int
    terms: str
    embedded: int
    asks: int
    stored: str | None
    """Its text, if it is not a part of one column of the record."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexedText:
    """A record as the index needs it."""

    kind: TextKind
    id: str
    scope: int
    text: str
    labels: str = ""
    """More words to find the record by."""
    open: bool = True
    conversation: str | None = None
    position: int | None = None
    """The place of the record in its conversation; None for the next place."""
    embedded: bool = True
    """Whether its passages get vectors."""

    @property
    def partition(self) -> int:
        return self.scope * len(PartitionGroup) + group_of(self.kind)


def group_of(kind: TextKind) -> PartitionGroup:
    return _GROUPS.get(kind, PartitionGroup.NOTES)


def partition_of(scope: int, group: PartitionGroup) -> int:
    return scope * len(PartitionGroup) + group


def partitions(view: View, groups: Iterable[PartitionGroup]) -> list[Partition]:
    """Return the visible partitions of some groups."""
    found = (Partition(*row) for row in view.rows("visible_partitions", {}))
    wanted = frozenset(groups)
    return [partition for partition in found if partition.group in wanted]


def put(unit: Unit, text: IndexedText) -> None:
    """Index a new record; its vectors follow later."""
    parts, partition, position = _parts(unit.analyser, text), text.partition, text.position
    if text.conversation is not None and position is None:
        place = {"partition": partition, "conversation": text.conversation}
        [(position,)] = unit.rows("next_position", place)
    record = {
        "kind": text.kind,
        "record": text.id,
        "passages": len(parts),
        "partition": partition,
        "open": int(text.open),
        "conversation": text.conversation,
        "position": position,
    }
    rows = [{**record, "number": at, **part._asdict()} for at, part in enumerate(parts)]
    for (seq,), part in zip(unit.row_of_each("add_passage", rows), parts, strict=True):
        terms = indexed(part.terms, partition, text.open)
        unit.execute_async("add_terms", {"seq": seq, "terms": terms})
        if part.embedded:
            unit.execute_async("enqueue", {"seq": seq, "due_at": unit.stamp})
    _count(unit, partition, len(parts), sum(_length(part.terms) for part in parts))


def change(unit: Unit, text: IndexedText) -> None:
    """Index a record again if its labels or its state changed. Its text never changes."""
    added = 0
    for seq, number, _, was_open, old in unit.rows("find_passages", {"record": text.id}):
        new = old
        if number == 0:  # the labels belong to the first passage
            _, _, words = unit.analyser.passages(text.text)[0]
            new = " ".join(unit.analyser.terms(f"{text.labels}\n{words}"))
        if (new, text.open) != (old, bool(was_open)):
            unit.execute_async("change_passage", {"seq": seq, "open": int(text.open), "terms": new})
            _replace_terms(unit, seq, indexed(new, text.partition, text.open))
            added += _length(new) - _length(old)
    _count(unit, text.partition, 0, added)


def remove(unit: Unit, id: str) -> None:
    """Remove the passages of a record, with their terms and vectors."""
    rows = unit.rows("find_passages", {"record": id})
    for seq, *_ in rows:
        for statement in ("remove_terms", "dequeue", "blank_vectors"):
            unit.execute_async(statement, {"seq": seq})
    if rows:
        unit.execute_async("remove_passages", {"record": id})
        _count(unit, rows[0][2], -len(rows), -sum(_length(row[4]) for row in rows))


def differ(view: View, analyser: Analyser, text: IndexedText) -> bool:
    """Return whether the stored passages of a record are not those that its text has."""
    parts, record = _parts(analyser, text), (text.kind, int(text.open))
    expected = [(number, *part, *record, len(parts)) for number, part in enumerate(parts)]
    return view.rows("passages_of_record", {"record": text.id}) != expected


def indexed(terms: str, partition: int, is_open: bool) -> str:
    """Return the terms of a passage in the form of the full-text index."""
    mark = marked("", partition, is_open)
    return mark + terms.replace(" ", f" {mark}") if terms else ""


def marked(term: str, partition: int, is_open: bool) -> str:
    """Return a term in the form of the index: marked with its partition and whether it is open."""
    return f"{'o' if is_open else 'e'}{partition}ː{term}"


def _parts(analyser: Analyser, text: IndexedText) -> list[_Part]:
    """Divide a record into passages."""
    parts: list[_Part] = []
    is_stored = group_of(text.kind) is PartitionGroup.NOTES
    found = analyser.passages(text.text)
    asks = analyser.asks(text.text) if len(found) == 1 else 0
    for start, end, words in found:
        terms = " ".join(analyser.terms(words if parts else f"{text.labels}\n{words}"))
        embedded = text.embedded and len(parts) < MAX_EMBEDDED
        stored = text.text[start:end] if is_stored else None
        parts.append(_Part(start, end - start, terms, int(embedded), asks, stored))
    return parts


def _replace_terms(unit: Unit, seq: int, terms: str) -> None:
    unit.execute_async("remove_terms", {"seq": seq})
    unit.execute_async("add_terms", {"seq": seq, "terms": terms})


def _count(unit: Unit, partition: int, passages: int, terms: int) -> None:
    place = {"partition": partition, "scope": partition // len(PartitionGroup)}
    unit.execute_async("count_partition", {**place, "passages": passages, "terms": terms})


def _length(terms: str) -> int:
    return terms.count(" ") + 1 if terms else 0


def reindex(unit: Unit, seq: int) -> None:
    """Index a passage as it is now. The index may have an entry, and the passage may be gone."""
    unit.execute_async("remove_terms", {"seq": seq})
    for terms, partition, is_open in unit.rows("passage_numbered", {"seq": seq}):
        _replace_terms(unit, seq, indexed(terms, partition, bool(is_open)))
