"""Store records of the smaller collections: tasks, lessons, usage, decisions and so on.

They have no place for the id of another program. A record that is here already is recognised by the
fields that identify it, in exactly its scope.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from erstwhile.core.results import all_items
from erstwhile.core.text import checked_text, folded
from erstwhile.decisions.decision import Decision

if TYPE_CHECKING:
    from erstwhile.memory import Memory

Details = Mapping[str, Any]
MARK = "imported"
"""The key of the metadata with the program and the id of a record there."""
_MAX_LENGTH = 2**31


@dataclass(frozen=True, slots=True)
class EntryKind:
    """Functions of a collection: store a record, list records, and identify a record."""

    add: Callable[[Memory, Details], object]
    stored: Callable[[Memory], Iterable[Any]]
    same: tuple[str, ...]
    merges: bool = False
    """Whether a scope has one such record at most, so that another one is the same."""

    def known(self, memory: Memory) -> Counter[object]:
        """Count the records that are in exactly the scope of a memory, deleted ones too."""
        return Counter(
            self.signature({name: getattr(record, name) for name in self.same})
            for record in self.stored(memory)
            if record.scope == memory.scope
        )

    def signature(self, details: Details) -> object:
        """Return what identifies a record, as it is stored: masked, and without letter case."""
        return tuple(_comparable(details.get(name)) for name in self.same)


def _comparable(value: Any) -> object:
    if isinstance(value, Mapping):
        return _comparable(str(value.get(MARK)))
    text = isinstance(value, str) and value.strip()
    return folded(checked_text(value, name="text", limit=_MAX_LENGTH)) if text else value or None


def _all(collection: str, **filters: Any) -> Callable[[Memory], Iterator[Any]]:
    def stored(memory: Memory) -> Iterator[Any]:
        for deleted in (False, True):
            yield from all_items(getattr(memory, collection).list, deleted=deleted, **filters)

    return stored


def _runs(memory: Memory) -> Iterator[Any]:
    for deleted in (False, True):
        yield from all_items(memory.checkpoints.runs, deleted=deleted)


def _add_lesson(memory: Memory, details: Details) -> None:
    for _ in range(max(1, details["occurrences"])):
        memory.lessons.add(details["domain"], details["rule"], at=details["at"])


def _add_limitation(memory: Memory, details: Details) -> None:
    found = {name: value for name, value in details.items() if name != "resolved"}
    added = memory.limitations.add(**found)
    if details["resolved"]:
        memory.limitations.resolve(added.id, resolution=details["resolved"])


def _add_run(memory: Memory, details: Details) -> None:
    """Plan the phases of a run, and store each with its status."""
    run, phases = details["run"], details["phases"]
    memory.checkpoints.plan(run, *(phase for phase, *_ in phases))
    for phase, status, output, error in phases:
        if status != "pending":
            memory.checkpoints.start(run, phase)
        if output and status != "pending":
            memory.checkpoints.save(run, phase, output)
        if status == "completed":
            memory.checkpoints.complete(run, phase)
        elif status == "failed":
            memory.checkpoints.fail(run, phase, error or "it failed there")


ENTRY_KINDS: Mapping[str, EntryKind] = {
    "tasks": EntryKind(
        lambda memory, details: memory.tasks.add(**details),
        _all("tasks", ended=True),
        ("metadata",),
    ),
    "lessons": EntryKind(_add_lesson, _all("lessons"), ("domain", "rule"), merges=True),
    "outcomes": EntryKind(
        lambda memory, details: memory.outcomes.add(**details),
        _all("outcomes"),
        ("domain", "score", "note", "source"),
    ),
    "observations": EntryKind(
        lambda memory, details: memory.observations.add(**details),
        _all("observations"),
        ("type", "title", "what", "why", "where", "learned"),
    ),
    "limitations": EntryKind(
        _add_limitation, _all("limitations", status="any"), ("title",), merges=True
    ),
    "usage": EntryKind(
        lambda memory, details: memory.usage.record(**details),
        _all("usage"),
        ("model", "at", "input", "output", "session"),
    ),
    "runs": EntryKind(_add_run, _runs, ("run",)),
    "sessions": EntryKind(
        lambda memory, details: memory.sessions.set(**details),
        lambda memory: all_items(memory.sessions.list),
        ("channel",),
        merges=True,
    ),
    "aliases": EntryKind(
        lambda memory, details: memory.identities.link(**details),
        lambda memory: all_items(memory.identities.list),
        ("alias", "person"),
        merges=True,
    ),
    "decisions": EntryKind(
        lambda memory, details: memory.decisions.record(Decision(**details)),
        _all("decisions"),
        ("key",),
    ),
}
"""The collections by the name that reports use."""
