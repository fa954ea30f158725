"""The audit trail: entries linked by hashes, so that tampering can be detected.

Each scope has its own chain. The hash of an entry covers the previous hash and its own fields, but
only a digest of the content, salted with a nonce. The content has no number that one store gave,
such as the number of a scope: so a chain is valid in every store. An erasure removes the nonce: the
chain stays valid, and a guess of the erased text cannot be tested against the digest.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from sys import intern
from typing import TYPE_CHECKING, Any, NamedTuple

from erstwhile.core.ports import Row
from erstwhile.core.public_record import PublicRecord, public_record
from erstwhile.core.scope import DIMENSIONS, Scope, to_scope

if TYPE_CHECKING:
    from erstwhile.storage.view import View


@public_record
class Entry(PublicRecord):
    """One change: who did what to which record, when and why."""

    number: int
    """Its place in the trail of its scope, from 1."""
    at: datetime
    scope: Scope
    actor: str
    action: str
    subject: str
    reason: str | None


@public_record
class Verification(PublicRecord):
    """The result of `audit.verify`; `problems` is empty if nothing is wrong."""

    entries: int
    records: int
    problems: tuple[str, ...]

    @property
    def ok(self) -> bool:
        return not self.problems


def genesis(scope: Scope) -> bytes:
    """Return the first hash of a chain. It depends on the scope: no chain fits another scope."""
    return sha256(_joined_fields([getattr(scope, name) for name in DIMENSIONS])).digest()


def new_key() -> bytes:
    """Return the key of a scope: with it, equal inputs can be found without storing them."""
    return os.urandom(32)


def digest(nonce: bytes, reason: str | None, state: Sequence[Any]) -> bytes:
    """Return the salted digest of the content of an entry."""
    return sha256(nonce + _joined_fields((reason, *state))).digest()


def link(before: bytes, content: bytes, fields: Sequence[str | int]) -> bytes:
    """Return the hash of an entry, made from the previous hash, its digest and its open fields."""
    return sha256(before + content + _joined_fields(fields)).digest()


def _joined_fields(fields: Sequence[Any]) -> bytes:
    """Join fields unambiguously: no stored text contains a NUL character.

    The sign before each value distinguishes a missing value from an empty one.
    """
    return "\0".join(["" if field is None else f"={field!s}" for field in fields]).encode()


SEAL = "audit.seal"


class Seal:
    """The seal of one chain, and what was read of the entries that it keeps."""

    def __init__(self, subject: str = "0", *content: str | bytes | None) -> None:
        self.last = int(subject)
        """The number of the last entry that it covers; 0 if the chain was never sealed."""
        self._content = content
        self._kept = sha256()

    def covers(self, entry: Row) -> bool:
        return bool(entry[0] <= self.last)

    def removes(self, entry: Row) -> bool:
        """Return whether an entry is covered and not kept. It is removed after the sealing."""
        return self.covers(entry) and bool(entry[-1] < self.last)

    def follow(self, entry: Row) -> tuple[int, bytes, int] | None:
        """Read a kept entry; return its number, hash and place, or None if it is not covered."""
        if not self.covers(entry):
            return None
        self._kept.update(_fixed_fields(entry))
        return entry[0], entry[8], entry[9]

    def is_intact(self) -> bool:
        if not self.last:
            return True
        reason, nonce, content = self._content
        state = (self.last, self._kept.hexdigest())
        why = reason if isinstance(reason, str) else None
        return isinstance(nonce, bytes) and digest(nonce, why, state) == content


def find_seal(view: View, scope: int) -> Seal:
    """Return the newest seal of a chain."""
    rows = view.rows("newest_seal", {"scope": scope})
    return Seal(*rows[0]) if rows else Seal()


def digest_of_kept(entries: Iterable[Row]) -> str:
    """Return what a seal says about the entries that it keeps, in their order."""
    kept = sha256()
    for entry in entries:
        kept.update(_fixed_fields(entry))
    return kept.hexdigest()


def _fixed_fields(entry: Row) -> bytes:
    """Return all fields of an entry that never change. An erasure removes reason and nonce."""
    seq, at, actor, action, subject, _reason, _nonce, content, hashed, *_ = entry
    open_fields = "\0".join(map(str, (seq, at, actor, action, subject)))
    return sha256(open_fields.encode() + b"\0" + content + hashed).digest()


_BATCH = 1_000


class _Digested(NamedTuple):
    """What the entry of a state is compared with; a long chain is held in memory."""

    action: str
    reason: str | None
    nonce: bytes | None
    content: bytes


_Entries = dict[tuple[str, int], _Digested]
"""The entries of a chain, by subject and moment."""


class Recorded(NamedTuple):
    """A kind of records on the audit trail."""

    noun: str
    """The first word of the actions in their entries, such as "message.add"."""
    statement: str
    """The statement that selects the stored states of a scope."""
    versioned: bool = False
    """Whether every earlier state is stored, or only the newest one."""
    gone: frozenset[str] = frozenset()
    """The actions that remove a row without an erasure."""
    pruning: str = ""
    """The action that removes earlier states, and blanks their entries."""


RECORDED = (
    Recorded("fact", "stored_states", versioned=True),
    Recorded("block", "stored_blocks", versioned=True, pruning="block.prune"),
    Recorded("decision", "stored_decisions"),
    Recorded("conversation", "stored_conversations"),
    Recorded("message", "stored_messages"),
    Recorded("compaction", "stored_compactions"),
    Recorded("session", "stored_sessions", gone=frozenset(["session.clear"])),
    Recorded("identity", "stored_identities", gone=frozenset(["identity.unlink"])),
    Recorded("outcome", "stored_outcomes"),
    Recorded("lesson", "stored_lessons"),
    Recorded("observation", "stored_observations"),
    Recorded("limitation", "stored_limitations"),
    Recorded("usage", "stored_usage"),
    Recorded("onboarding", "stored_stages"),
    Recorded("task", "stored_tasks"),
    Recorded("run", "stored_runs"),
    Recorded("checkpoint", "stored_checkpoints"),
    Recorded("snapshot", "stored_snapshots"),
    Recorded("feedback", "stored_feedback"),
    Recorded("attempt", "stored_attempts"),
    Recorded("conflict", "stored_conflicts"),
)
_ERASED = "erase"
_NO_STATE = frozenset(("alias", "unalias", _ERASED))
"""Actions that store no state of a record."""


def verify(view: View) -> Verification:
    """Check each visible chain, and compare all stored states with its digests."""
    found = [verify_chain(view, chain) for chain in view.rows("visible_chains", {})]
    problems = [problem for each in found for problem in each.problems]
    return Verification(
        entries=sum(each.entries for each in found),
        records=sum(each.records for each in found),
        problems=tuple(dict.fromkeys(problems)),
    )


def verify_chain(view: View, chain: Row) -> Verification:
    """Check the chain of one scope, a row of `visible_chains`, and the states of its records."""
    scope, head_seq, head_hash, *dimensions = chain
    entries, problems = 0, list[str]()
    by_noun: dict[str, _Entries] = defaultdict(dict)
    last, seal = (0, genesis(to_scope(*dimensions)), 0), find_seal(view, scope)
    for entry in read_chain(view, scope):
        if seal.removes(entry):
            continue
        last = seal.follow(entry) or _follow(last, entry, problems)
        action = intern(entry[3])
        by_noun[noun_of(action)][entry[4], entry[1]] = _Digested(action, *entry[5:8])
        entries += 1
    if last[:2] != (head_seq, head_hash):
        problems.append(f"the trail of scope {scope} was cut or extended at its end")
    if not seal.is_intact():
        problems.append(f"the sealed part of the trail of scope {scope} was altered")
    records = sum(_compare(view, scope, kind, by_noun, problems) for kind in RECORDED)
    return Verification(entries=entries, records=records, problems=tuple(dict.fromkeys(problems)))


def read_chain(view: View, scope: int) -> Iterator[Row]:
    """Yield the entries of a chain, oldest first."""
    after = 0
    while rows := view.rows("read_chain", {"scope": scope, "after": after, "limit": _BATCH}):
        yield from rows
        after = rows[-1][0]


def _follow(
    last: tuple[int, bytes, int], entry: Row, problems: list[str]
) -> tuple[int, bytes, int]:
    seq, at, actor, action, subject, _reason, _nonce, content, hashed, number, _ = entry
    if seq != last[0] + 1:
        problems.append(f"entries before number {seq} of {subject} are missing")
    if number <= last[2]:
        problems.append(f"entry {seq} ({action} {subject}) was moved")
    if hashed != link(last[1], content, (seq, at, actor, action, subject)):
        problems.append(f"entry {seq} ({action} {subject}) was altered")
    return seq, hashed, number


def _compare(
    view: View, scope: int, kind: Recorded, by_noun: Mapping[str, _Entries], problems: list[str]
) -> int:
    """Compare stored states with the digests of entries; return the number of states."""
    states, noun = 0, kind.noun
    entries = by_noun.get(noun, {})
    erased = {subject for subject, _ in by_noun.get(_ERASED, ())}
    unmet = {place for place in _expected(kind, entries) if place[0] not in erased}
    follows: Row = ()
    for id, known_from, known_to, *state in view.each(kind.statement, {"scope": scope}):
        if follows[:1] == (id,) and follows != (id, known_from):
            problems.append(f"{noun} {id} has a gap in its history")
        follows = (id, known_to)
        states += 1
        unmet.discard((id, known_from))
        entry = entries.get((id, known_from))
        if entry is None:
            problems.append(f"{noun} {id} has a state without an entry")
        elif entry.nonce is None or digest(entry.nonce, entry.reason, state) != entry.content:
            problems.append(f"{noun} {id} was changed without an entry")
    problems += [f"a state of {noun} {id} has disappeared" for id, _ in sorted(unmet)]
    return states


def _expected(kind: Recorded, entries: _Entries) -> Iterable[tuple[str, int]]:
    """Return the subjects and moments of the entries whose state must be stored."""
    if not kind.versioned:
        newest = {place[0]: place for place in entries}  # entries are in the order of the chain
        return [place for place in newest.values() if entries[place].action not in kind.gone]
    # A pruning blanks the entries before it, and its own entry has no state.
    pruned = {id: moment for (id, moment), entry in entries.items() if entry.action == kind.pruning}
    return [
        (id, moment)
        for (id, moment), entry in entries.items()
        if entry.action != kind.pruning and (entry.nonce is not None or moment >= pruned.get(id, 0))
    ]


def noun_of(action: str) -> str:
    """Return the kind of record that an action is about. Actions on facts are bare verbs."""
    noun, dot, _ = action.partition(".")
    return noun if dot or action in _NO_STATE else "fact"
