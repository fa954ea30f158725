"""Store records of other programs: guarded, masked, with their times, and only once.

A fact gets the origin `imported`, a tag with the name of the program, and its id there in the
metadata. A second import recognises it by that id, also if it was changed, ended or deleted here.
A preview stores the same in a memory that it throws away, so that both reports agree.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any

from erstwhile.blocks.block import LIMIT_TOKENS, MAX_LIMIT_TOKENS, checked_name
from erstwhile.core.errors import ConflictError, ErstwhileError, ScopeError, TooLargeError
from erstwhile.core.kinds import Ending, Origin, State, Trust
from erstwhile.core.policies import Policy
from erstwhile.core.results import all_items
from erstwhile.core.scope import Scope
from erstwhile.core.text import fingerprint
from erstwhile.facts.draft import draft
from erstwhile.facts.fact import MAX_TEXT, Fact
from erstwhile.facts.held import held_because
from erstwhile.integrations.conversation_import import (
    ImportedConversation,
    import_conversations,
)
from erstwhile.integrations.importers.entries import ENTRY_KINDS, MARK
from erstwhile.integrations.importers.records import (
    ImportedBlock,
    ImportedEntry,
    ImportedFact,
    ImportedRecords,
    Owner,
)
from erstwhile.learning.candidate import GuardAction
from erstwhile.learning.guard.agent_write_guard import check_note
from erstwhile.learning.guard.checks import LABEL_CHECKS, examine, kept
from erstwhile.operations.results import Refusal

if TYPE_CHECKING:
    from erstwhile.memory import Memory

Progress = Callable[[int, int], None]
OnNew = Callable[[str, Scope, str], None]
"""A function that gets the kind of a new record, its scope, and its text."""
_PASSING = "transient/"
"""Rules against short-lived statements: another program has kept this one already."""
_ENDED = "it ended there"
_AT_ONCE = timedelta(seconds=2)
"""Programs note the end of a fact and the start of its successor with two looks at the clock."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportReport:
    """The result of importing a file of another program."""

    facts: int
    held: int
    """The number of new facts in quarantine; they are among `facts`."""
    known: int
    """The number of records and messages that are here already."""
    conversations: tuple[str, ...]
    """The ids of all conversations of the file, new or stored before."""
    scopes: tuple[Scope, ...]
    """The scope of each of these conversations."""
    messages: int
    blocks: int
    others: Mapping[str, int]
    """The numbers of new tasks, lessons, decisions and so on."""
    left_out: tuple[Refusal, ...]

    @property
    def present(self) -> int:
        """The number of records of the file that are stored now, new or from an earlier import."""
        new = self.facts + self.messages + self.blocks + sum(self.others.values())
        return new + self.known


@dataclass(slots=True)
class _Known:
    """The records of a scope: imported ids with the ids here, and the open texts and keys."""

    ids: dict[str, str] = field(default_factory=dict)
    texts: set[tuple[str, bytes]] = field(default_factory=set)
    keys: set[str | None] = field(default_factory=set)

    def add(self, fact: Fact) -> None:
        if fact.retired_at is None and fact.deleted_at is None:
            self.texts.add((fact.kind, fingerprint(fact.text, fact.key)))
            self.keys |= {fact.key} if fact.key else set()


def import_records(
    memory: Memory,
    name: str,
    found: ImportedRecords,
    progress: Progress,
    *,
    trial: Memory | None = None,
    on_new: OnNew = lambda _what, _scope, _text: None,
) -> ImportReport:
    """Store imported records, each in the scope of its owner.

    With `trial`, an empty memory, only that one is changed. Raise ScopeError if a memory of one
    person gets a file of several others.
    """
    mine, users = memory.scope.user, found.users
    if mine is not None and len(users) > 1 and mine not in users:
        raise ScopeError(
            f"the file has memories of {len(users)} people, and {mine!r} is none of them",
            remedy="import it without a user, so that each gets their own, or name one of "
            + ", ".join(sorted(users)[:5]),
        )
    return _RecordImport(memory, trial or memory, name, found, on_new).run(progress)


class _RecordImport:
    """One import: `memory` has the stored records, `target` gets the new ones."""

    def __init__(
        self, memory: Memory, target: Memory, name: str, found: ImportedRecords, on_new: OnNew
    ) -> None:
        self._memory = memory
        self._target = target
        self._name = name
        self._found = found
        self._on_new = on_new
        self._now = datetime.now(UTC)
        self._left_out: Counter[tuple[str, str]] = Counter()
        self._counts: Counter[str] = Counter()
        self._known: dict[Scope, _Known] = {}
        self._others: dict[tuple[str, Scope], Counter[object]] = {}
        self._replaced = {fact.replaces for fact in found.facts if fact.replaces}
        self._open: dict[str, tuple[Memory, Fact, datetime]] = {}
        """Facts that ended there and wait for their successor, by their ids there."""

    def run(self, progress: Progress) -> ImportReport:
        for part in self._found.left_out:
            self._left_out[part.place, part.reason] += part.count
        work = list(self._steps())
        for done, (what, place, step) in enumerate(work, 1):
            self._try(what, place, step)
            progress(done, len(work))
        for id, (memory, fact, until) in self._open.items():
            self._try("facts", id, partial(_retire, memory, fact, until))
        stored = self._store_conversations(progress)
        return ImportReport(
            facts=self._counts["facts"],
            held=self._counts["held"],
            known=self._counts["known"],
            conversations=tuple(id for id, _ in stored),
            scopes=tuple(scope for _, scope in stored),
            messages=self._counts["messages"],
            blocks=self._counts["blocks"],
            others={name: self._counts[name] for name in ENTRY_KINDS if self._counts[name]},
            left_out=tuple(
                Refusal(place=place, reason=reason, count=count)
                for (place, reason), count in self._left_out.items()
            ),
        )

    def _steps(self) -> Iterator[tuple[str, str, Callable[[], None]]]:
        """Yield the steps. Ended facts are stored first, so that they replace no live fact."""
        last = datetime.max.replace(tzinfo=UTC)
        for fact in sorted(self._found.facts, key=lambda each: each.until or last):
            yield "facts", fact.id, partial(self._add_fact, fact)
        for block in self._found.blocks:
            yield "blocks", f"block {block.name}", partial(self._add_block, block)
        for entry in self._found.entries:
            yield entry.collection, entry.collection, partial(self._add_entry, entry)

    def _try(self, what: str, place: str, step: Callable[[], None]) -> None:
        """Do a step. A record of another owner is counted; any other failure is named."""
        try:
            step()
        except ScopeError as error:
            self._left_out[what, error.message] += 1
        except ErstwhileError as error:
            self._left_out[place, error.message] += 1

    def _memories_of(self, owner: Owner) -> tuple[Memory, Memory]:
        """Return the memory of an owner, and the one to store in. Raise ScopeError for others.

        A file about one person alone goes to the person who was asked for, whatever the name there.
        """
        mine, user = self._memory.scope.user, owner.get("user")
        if mine and user not in (None, mine) and len(self._found.users) > 1:
            raise ScopeError(f"it belongs to {user!r}")
        here = self._memory.scoped(**{**owner, **({"user": mine} if mine else {})})
        if self._target is self._memory:
            return here, here
        return here, self._target.scoped(**asdict(here.scope))

    def _count_new(self, what: str, memory: Memory, text: str) -> None:
        self._on_new(what, memory.scope, text)
        self._counts[what] += 1

    def _add_fact(self, fact: ImportedFact) -> None:
        here, into = self._memories_of(fact.owner)
        known, details = self._known_in(here), self._details(fact)
        checked = draft(**details, now=self._now)
        if fact.id in known.ids or (checked.kind, checked.fingerprint) in known.texts:
            self._counts["known"] += 1
            return
        if checked.key in known.keys:
            raise ConflictError(f"the key {checked.key!r} has a value here already")
        stored = self._store_fact(into, known, fact, details)
        known.ids[fact.id] = stored.id
        self._counts["held"] += stored.trust is Trust.QUARANTINED
        self._count_new("facts", here, fact.text)

    def _store_fact(
        self, into: Memory, known: _Known, fact: ImportedFact, details: dict[str, Any]
    ) -> Fact:
        """Store a fact, as the successor of another if it is one; end it if it ended there."""
        old, start = self._open.get(fact.replaces or ""), details["valid_from"] or self._now
        follows = old is not None and abs(old[2] - start) <= _AT_ONCE
        if old and follows and old[0].scope == into.scope and "trust" not in details:
            del self._open[fact.replaces or ""]
            text = details.pop("text")
            stored = into.facts.replace(old[1].id, text, reason="it was replaced there", **details)
        else:
            stored = into.remember(**details)
        if fact.until is None or fact.until > self._now:
            known.add(stored)
        elif fact.id in self._replaced:
            self._open[fact.id] = into, stored, fact.until
        else:
            _retire(into, stored, fact.until)
        return stored

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
            "key": fact.key,
            "value": fact.value,
            "entities": list(dict.fromkeys(fact.entities)),
            "relations": list(fact.relations),
            "tags": list(dict.fromkeys([self._name, *fact.tags])),
            "metadata": {**fact.metadata, MARK: {"from": self._name, "id": fact.id}},
            "confidence": fact.confidence,
            "valid_from": self._start(fact),
            "expires_at": fact.until if fact.until and fact.until > self._now else None,
            "origin": Origin.IMPORTED,
        }
        for verdict in found:
            if verdict.action is GuardAction.HOLD:
                metadata = details["metadata"] | held_because(verdict.rule, verdict.reason)
                return details | {"trust": Trust.QUARANTINED, "metadata": metadata}
        return details

    def _start(self, fact: ImportedFact) -> datetime | None:
        """Return when a fact began: not in the future, and not after its end."""
        ended = fact.until if fact.until and fact.until <= self._now else None
        return min(filter(None, (fact.since, ended, self._now))) if fact.since or ended else None

    def _known_in(self, memory: Memory) -> _Known:
        """Return the records of a scope. Ids count in any state, and in wider scopes, too."""
        if memory.scope not in self._known:
            known = self._known[memory.scope] = _Known()
            for filters in ({"state": State.ANY}, {"deleted": True}):
                for fact in all_items(memory.facts.list, **filters):
                    mark = fact.metadata.get(MARK)
                    if isinstance(mark, Mapping) and mark.get("from") == self._name:
                        known.ids[str(mark.get("id"))] = fact.id
                    if fact.scope == memory.scope:
                        known.add(fact)
        return self._known[memory.scope]

    def _add_block(self, block: ImportedBlock) -> None:
        here, into = self._memories_of(block.owner)
        name = checked_name(block.name)
        texts = [*(text for text, _ in block.earlier), block.content]
        for text in texts:
            check_note("", "\n".join((block.name, block.description, text)))
        if name in _block_names(here):
            self._counts["known"] += 1
            return
        limit = block.limit_tokens or LIMIT_TOKENS
        room = min(MAX_LIMIT_TOKENS, max(limit, *(len(text.encode()) for text in texts)))
        into.blocks.add(name, texts[0], limit_tokens=room, description=block.description)
        for (_, reason), text in zip(block.earlier, texts[1:], strict=True):
            into.blocks.update(name, text, reason=reason)
        if room > limit:
            _set_limit(into, name, limit)
        self._count_new("blocks", here, f"{block.name}: {block.content}")

    def _add_entry(self, entry: ImportedEntry) -> None:
        here, into = self._memories_of(entry.owner)
        kind, place = ENTRY_KINDS[entry.collection], (entry.collection, here.scope)
        if place not in self._others:
            self._others[place] = kind.known(here)
        signature = kind.signature(entry.details)
        if self._others[place][signature] > 0:
            self._others[place][signature] -= not kind.merges
            self._counts["known"] += 1
            return
        kind.add(into, entry.details)
        self._count_new(entry.collection, here, next(map(str, entry.details.values())))

    def _store_conversations(self, progress: Progress) -> list[tuple[str, Scope]]:
        """Store the conversations of each owner; return their ids with the scopes."""
        owners = defaultdict[Scope, list[ImportedConversation]](list)
        for each in self._found.conversations:
            self._try("conversations", each.name, partial(self._group_by_owner, each, owners))
        stored = (self._store_in_scope(scope, each, progress) for scope, each in owners.items())
        return list(chain.from_iterable(stored))

    def _group_by_owner(
        self, conversation: ImportedConversation, owners: Mapping[Scope, list[ImportedConversation]]
    ) -> None:
        owners[self._memories_of(conversation.owner)[0].scope].append(conversation)

    def _store_in_scope(
        self, scope: Scope, conversations: list[ImportedConversation], progress: Progress
    ) -> Iterator[tuple[str, Scope]]:
        here = self._memory.scoped(**asdict(scope))
        made = import_conversations(
            here,
            conversations,
            progress=progress,
            preview=self._target is not self._memory,
            on_new=lambda new: self._count_new("conversations", here, new.label),
        )
        self._counts.update(known=made.known, messages=made.messages)
        for part in made.left_out:
            self._left_out[part.place, part.reason] += part.count
        yield from ((id, scope) for id in made.conversations)


def _retire(memory: Memory, fact: Fact, until: datetime) -> None:
    memory.facts.retire(fact.id, Ending.SUPERSEDED, ended=until, reason=_ENDED)


def _set_limit(memory: Memory, name: str, limit: int) -> None:
    """Set the limit of a block, unless its text is longer: the program did not enforce it."""
    try:
        memory.blocks.set_limit(name, limit)
    except TooLargeError:
        return


def _block_names(memory: Memory) -> set[str]:
    """Return the names that blocks of exactly this scope have or had."""
    found = (all_items(memory.blocks.list, deleted=deleted) for deleted in (False, True))
    return {block.name for page in found for block in page if block.scope == memory.scope}
