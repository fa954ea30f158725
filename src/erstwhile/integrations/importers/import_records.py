"""Store what other programs remembered: guarded, masked, with its times, and only once.

A fact gets the origin `imported`, a tag with the name of the program, and its id there in the
metadata. A second import recognises it by that id, also if it was changed, ended or deleted here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from erstwhile.core.errors import ConflictError, ErstwhileError, NotFoundError
from erstwhile.core.kinds import Ending, Origin, Trust
from erstwhile.core.policies import Policy
from erstwhile.core.results import all_items
from erstwhile.facts.draft import draft
from erstwhile.facts.fact import MAX_TEXT
from erstwhile.facts.held import held_because
from erstwhile.integrations.conversation_import import (
    UnreadablePart,
    import_conversations,
    preview_conversations,
)
from erstwhile.integrations.importers.records import ImportedBlock, ImportedFact, ImportedRecords
from erstwhile.learning.candidate import GuardAction
from erstwhile.learning.guard.agent_write_guard import check_note
from erstwhile.learning.guard.checks import LABEL_CHECKS, examine, kept

if TYPE_CHECKING:
    from erstwhile.memory import Memory

Progress = Callable[[int, int], None]
OnNew = Callable[[str, str | None, str], None]
"""A function that gets the kind of a new record, its user, and its text."""
_MARK = "imported"
"""The key of the metadata with the program and the id of a fact there."""
_PASSING = "transient/"
"""Rules about what is passing: another program has kept it already."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportReport:
    """The result of importing a file of another program."""

    facts: int
    held: int
    """The number of new facts in quarantine; they are among `facts`."""
    known: int
    """The number of facts and messages that an earlier import stored."""
    conversations: tuple[str, ...]
    """The ids of all conversations of the file, new or stored before, the oldest first."""
    messages: int
    blocks: int
    left_out: tuple[UnreadablePart, ...]

    @property
    def came(self) -> int:
        """The number of records that are here now, new or from an earlier import."""
        return self.facts + self.known + self.messages + self.blocks


def import_records(
    memory: Memory,
    name: str,
    found: ImportedRecords,
    progress: Progress,
    *,
    preview: bool = False,
    on_new: OnNew = lambda _what, _user, _text: None,
) -> ImportReport:
    """Store imported records in a memory; a preview only checks them."""
    return _RecordImport(memory, name, found, on_new, preview=preview).run(progress)


class _RecordImport:
    def __init__(
        self, memory: Memory, name: str, found: ImportedRecords, on_new: OnNew, *, preview: bool
    ) -> None:
        self._memory = memory
        self._name = name
        self._found = found
        self._preview = preview
        self._on_new = on_new
        self._left_out = list(found.left_out)
        self._counts: Counter[str] = Counter()
        self._known: dict[str | None, set[str]] = {}

    def run(self, progress: Progress) -> ImportReport:
        work: list[Callable[[], None]] = [
            *(lambda fact=fact: self._fact(fact) for fact in self._found.facts),
            *(lambda block=block: self._block(block) for block in self._found.blocks),
        ]
        for done, step in enumerate(work, 1):
            step()
            progress(done, len(work))
        importing = preview_conversations if self._preview else import_conversations
        talk = importing(self._memory, self._found.conversations, (), progress)
        return ImportReport(
            facts=self._counts["facts"],
            held=self._counts["held"],
            known=self._counts["known"] + talk.known,
            conversations=talk.conversations,
            messages=talk.messages,
            blocks=self._counts["blocks"],
            left_out=(*self._left_out, *talk.left_out),
        )

    def _fact(self, fact: ImportedFact) -> None:
        memory = self._place(fact.user)
        if memory is None:
            self._leave_out(fact.id, f"it belongs to {fact.user!r}")
        elif fact.id in self._ids(memory):
            self._counts["known"] += 1
        else:
            self._ids(memory).add(fact.id)
            self._store(memory, fact)

    def _store(self, memory: Memory, fact: ImportedFact) -> None:
        try:
            details = self._details(fact)
            if self._preview:
                draft(**details, now=datetime.now(UTC))
            else:
                stored = memory.remember(**details)
                if fact.until is not None and fact.until <= datetime.now(UTC):
                    memory.facts.retire(
                        stored.id, Ending.SUPERSEDED, ended=fact.until, reason="it ended there"
                    )
            self._on_new("facts", memory.scope.user, fact.text)
            self._counts["facts"] += 1
            self._counts["held"] += "trust" in details
        except ErstwhileError as error:
            self._leave_out(fact.id, error.message)

    def _details(self, fact: ImportedFact) -> dict[str, Any]:
        """Return the arguments of `remember`; raise RefusedError if the guard refuses the fact."""
        policy = Policy(longest=MAX_TEXT)
        on_text = examine(fact.text, policy)
        found = [each for each in on_text if not each.rule.startswith(_PASSING)]
        labels = (*fact.entities, *fact.tags, *(part for each in fact.relations for part in each))
        found += [verdict for label in labels for verdict in examine(label, policy, LABEL_CHECKS)]
        for verdict in found:
            if verdict.action is GuardAction.REFUSE:
                raise verdict.to_error()
        details: dict[str, Any] = {
            "text": kept(fact.text, on_text),
            "kind": fact.kind,
            "entities": list(dict.fromkeys(fact.entities)),
            "relations": list(fact.relations),
            "tags": list(dict.fromkeys([self._name, *fact.tags])),
            "metadata": {**fact.metadata, _MARK: {"from": self._name, "id": fact.id}},
            "valid_from": fact.since and min(fact.since, datetime.now(UTC)),
            "origin": Origin.IMPORTED,
        }
        for verdict in found:
            if verdict.action is GuardAction.HOLD:
                metadata = details["metadata"] | held_because(verdict.rule, verdict.reason)
                return details | {"trust": Trust.QUARANTINED, "metadata": metadata}
        return details

    def _block(self, block: ImportedBlock) -> None:
        memory = self._place(block.user)
        try:
            if memory is None:
                self._leave_out(f"block {block.name}", f"it belongs to {block.user!r}")
            else:
                _add_block(memory, block, preview=self._preview)
                self._on_new("blocks", memory.scope.user, f"{block.name}: {block.content}")
                self._counts["blocks"] += 1
        except ConflictError:
            self._counts["known"] += 1
        except ErstwhileError as error:
            self._leave_out(f"block {block.name}", error.message)

    def _place(self, user: str | None) -> Memory | None:
        """Return the memory for a user that the file names; None if it is somebody else's.

        A file about one person alone goes to the person who was asked for, whatever the name there.
        """
        here = self._memory.scope.user
        if here is None:
            return self._memory if user is None else self._memory.scoped(user=user)
        alone = len(self._found.users) <= 1
        return self._memory if alone or user in (None, here) else None

    def _ids(self, memory: Memory) -> set[str]:
        """Return the ids of the facts of this program that are in a scope, in whatever state."""
        user = memory.scope.user
        if user not in self._known:
            self._known[user] = set(_imported(memory, self._name))
        return self._known[user]

    def _leave_out(self, place: str, reason: str) -> None:
        self._left_out.append(UnreadablePart(place=place, reason=reason))


def _add_block(memory: Memory, block: ImportedBlock, *, preview: bool) -> None:
    """Add a block; for a preview, raise what adding it would raise."""
    check_note("", "\n".join((block.name, block.description, block.content)))
    if not preview:
        memory.blocks.add(block.name, block.content, description=block.description)
        return
    try:
        memory.blocks.get(block.name)
    except NotFoundError:
        return
    raise ConflictError(f"there is a block {block.name}")


def _imported(memory: Memory, name: str) -> Iterator[str]:
    for filters in ({"state": "any"}, {"deleted": True}):
        for fact in all_items(memory.facts.list, tag=name, **filters):
            mark = fact.metadata.get(_MARK)
            if isinstance(mark, Mapping) and mark.get("from") == name:
                yield str(mark.get("id"))
