"""The table of facts. Every change of a fact is written here.

Everything that changes a fact calls `FACTS.add` or `FACTS.change`. So the row, the state that it
replaces, the look-up tables and the audit entry are always written together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from erstwhile.core.errors import BusyError
from erstwhile.core.kinds import State
from erstwhile.core.ports import Row
from erstwhile.core.text import folded
from erstwhile.core.time import from_micros, to_micros
from erstwhile.facts import graph
from erstwhile.facts.fact import Fact
from erstwhile.facts.rows import state_of, to_fact, to_row
from erstwhile.facts.text_index import indexed_text
from erstwhile.storage import erasure, passages, proposals, standing
from erstwhile.storage.columns import to_scope
from erstwhile.storage.table import Table
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View

PINNED = "pinned"
_PARTS = (
    ("remove_versions", "versions"),
    ("remove_tags", "tags"),
    ("remove_relations", "relations"),
    ("remove_mentions", "mentions"),
)


class FactTable(Table[Fact]):
    """The table of facts, which keeps every earlier state of a fact as a version."""

    noun = "fact"
    name = "facts"
    counted = "facts"
    finding = "find_facts"
    deleting = "find_deleted"
    holding = "facts_within"

    def to_item(self, _view: View, row: Row) -> Fact:
        return to_fact(row)

    def add(
        self, unit: Unit, fact: Fact, fingerprint: bytes, action: str, reason: str | None = None
    ) -> Fact:
        scope = unit.scope_id(fact.scope)
        row = {"fingerprint": fingerprint, **to_row(fact, scope)}
        unit.send("add_fact", row)
        _index(unit, fact, scope)
        passages.put(unit, indexed_text(fact, scope))
        unit.record(action, fact.id, fact.scope, reason, state_of(row))
        return fact

    def change(
        self, unit: Unit, old: Fact, new: Fact, action: str, reason: str | None = None
    ) -> Fact:
        standing.check_fact(unit, old, new, action)
        if new.known_from is not unit.now:
            new = replace(new, known_from=unit.now)
        scope = unit.scope_id(new.scope)
        row = to_row(new, scope)
        expected = {**row, "was_known_from": to_micros(old.known_from)}
        unit.send("keep_version", expected)
        if not unit.run("change_fact", expected):
            raise BusyError(f"{old.id} was changed by another writer just now", remedy="try again")
        if (old.tags, old.entities, old.relations) != (new.tags, new.entities, new.relations):
            _index(unit, new, scope)
        passages.change(unit, indexed_text(new, scope))
        unit.record(action, new.id, new.scope, reason, state_of(row))
        return new

    def destroy(self, unit: Unit, items: Sequence[Fact]) -> Counter[str]:
        items = _with_former(unit, items)
        removed = Counter(facts=len(items))
        for scope in {fact.scope for fact in items}:
            about = [(fact.id, fact.text) for fact in items if fact.scope == scope]
            removed["audit_entries"] += proposals.forget_facts(unit, scope, about)
        mentioned = [row[0] for fact in items for row in _mentioned(unit, fact)]
        for fact in items:
            _destroy(unit, fact, removed)
        return removed + remove_orphaned_entities(unit, mentioned)

    def always_included(self, view: View, which: str, limit: int) -> list[Fact]:
        """Return the newest live facts that are pinned, or of a kind that every prompt gets.

        `which` is `PINNED`, or the kind `profile`, `instruction`, `project` or `environment`.
        """
        return self.select(view, "list_standing", {"limit": limit}, which, State.LIVE)


FACTS = FactTable()


def moved_from(unit: Unit, fact: Fact) -> list[Fact]:
    """Return the fact of another scope that was moved to become this one, if it was moved."""
    return FACTS.select(unit, "moved_from", {"id": fact.id})


def remove_orphaned_entities(unit: Unit, ids: Iterable[str]) -> Counter[str]:
    """Remove those of some entities that no fact mentions."""
    removed: Counter[str] = Counter()
    for id in dict.fromkeys(ids):
        for entity, scope_id in unit.rows("orphaned_entities", {"id": id}, "one"):
            unit.send("remove_names", {"id": entity})
            blanked = {"subject": entity, "scope": scope_id}
            removed["audit_entries"] += unit.run("blank_entries", blanked)
            removed["entities"] += unit.run("remove_entity", {"id": entity})
    return removed


def was_said_after(view: View, fact: Fact, moment: datetime) -> bool:
    """Return whether a fact was stated after a moment; its messages may be older than its row."""
    return fact.recorded_at > moment and _said_at(view, fact) > moment


def _said_at(view: View, fact: Fact) -> datetime:
    """Return the time of the last message that a fact came from, or of its recording."""
    messages = () if fact.source is None else fact.source.messages
    times = [view.rows("said_last", {"message": message})[0][0] for message in messages]
    known = [from_micros(time) for time in times if time is not None]
    return max(known, default=fact.recorded_at)


def _with_former(unit: Unit, items: Sequence[Fact]) -> list[Fact]:
    """Return facts with those that were moved to become them: they have the same text."""
    found = {fact.id: fact for fact in items}
    known = list(items)
    for fact in known:
        former = [each for each in moved_from(unit, fact) if each.id not in found]
        found |= {each.id: each for each in former}
        known += former
    return known


def _mentioned(unit: Unit, fact: Fact) -> list[Row]:
    return unit.rows("mentioned_entities", {"id": fact.id}) if fact.entities else []


def _destroy(unit: Unit, fact: Fact, removed: Counter[str]) -> None:
    unit.send("overwrite_fact", {"id": fact.id, "blank": "0" * len(fact.text.encode())})
    passages.remove(unit, fact.id)
    for statement, part in _PARTS:
        removed[part] += unit.run(statement, {"id": fact.id})
    for id, *dimensions in unit.rows("feedback_on", {"fact": fact.id}):
        removed["audit_entries"] += erasure.forget(unit, id, to_scope(*dimensions))
    for statement in ("remove_uses", "remove_feedback"):
        unit.send(statement, {"id": fact.id})
    conflicts = unit.rows("conflicts_of_fact", {"fact": fact.id})
    erasure.destroy_records(unit, "conflicts", conflicts, removed)
    unit.send("remove_fact", {"id": fact.id})
    removed["audit_entries"] += erasure.forget(unit, fact.id, fact.scope)


def _index(unit: Unit, fact: Fact, scope: int) -> None:
    place = {"scope": scope, "fact": fact.id, "since": unit.stamp}
    for tag in fact.tags:
        unit.send("add_tag", {**place, "tag": folded(tag)})
    if fact.entities:
        graph.mention(unit, fact, scope)
