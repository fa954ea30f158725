"""Verify the audit trail: each chain of hashes, and the stored states against its digests.

How a collection takes part:

1. Each change of a row calls `unit.record("noun.verb", id, scope, reason, state)`, where `state` is
   the protected content, and stores the entry's timestamp (`unit.stamp`) in the row. Two changes of
   one row in one unit need a `unit.tick()` between them.
2. A statement `stored_…` selects, for one `:scope`, the id, that stamp, the moment when the state
   ended (NULL where earlier states are not kept) and then the state, in the same order and types.
3. A line in `RECORDED` names both.
Erasing a row also calls `blank_entries` and records the bare action "erase".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from erstwhile.core.ports import Row
from erstwhile.storage.audit_chain import Verification, digest, genesis, link
from erstwhile.storage.audit_seal import find_seal
from erstwhile.storage.columns import to_scope
from erstwhile.storage.view import View

_BATCH = 1_000
_Entries = dict[tuple[str, int], Row]
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
        by_noun[noun_of(entry[3])][entry[4], entry[1]] = entry
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
    for id, known_from, known_to, *state in view.rows(kind.statement, {"scope": scope}):
        if follows[:1] == (id,) and follows != (id, known_from):
            problems.append(f"{noun} {id} has a gap in its history")
        follows = (id, known_to)
        states += 1
        unmet.discard((id, known_from))
        entry = entries.get((id, known_from))
        if entry is None:
            problems.append(f"{noun} {id} has a state without an entry")
        elif entry[6] is None or digest(entry[6], entry[5], state) != entry[7]:
            problems.append(f"{noun} {id} was changed without an entry")
    problems += [f"a state of {noun} {id} has disappeared" for id, _ in sorted(unmet)]
    return states


def _expected(kind: Recorded, entries: _Entries) -> Iterable[tuple[str, int]]:
    """Return the subjects and moments of the entries whose state must be stored."""
    if kind.versioned:
        return _not_pruned(kind, entries)
    newest = {place[0]: place for place in entries}  # entries are in the order of the chain
    return [place for place in newest.values() if entries[place][3] not in kind.gone]


def _not_pruned(kind: Recorded, entries: _Entries) -> Iterable[tuple[str, int]]:
    """Leave out the blanked entries before a pruning, and the entry of the pruning itself."""
    at = {id: moment for (id, moment), entry in entries.items() if entry[3] == kind.pruning}
    for (id, moment), entry in entries.items():
        blanked = entry[6] is None and moment < at.get(id, 0)
        if entry[3] != kind.pruning and not blanked:
            yield id, moment


def noun_of(action: str) -> str:
    """Return the kind of record that an action is about. Actions on facts are bare verbs."""
    noun, dot, _ = action.partition(".")
    return noun if dot or action in _NO_STATE else "fact"
