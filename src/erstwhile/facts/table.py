"""The table of facts. It writes every change of a fact.

`FACTS.add` and `FACTS.change` write the row, the version that it replaces, the tags, entities and
search index, and the audit entry together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from erstwhile.core.errors import BusyError
from erstwhile.core.ids import new_id
from erstwhile.core.kinds import State, TextKind, Trust
from erstwhile.core.scope import to_scope
from erstwhile.core.text import folded
from erstwhile.core.time import from_micros, to_micros
from erstwhile.facts.agent_rules import check_change
from erstwhile.facts.fact import FACT_ROW, Fact, state_of
from erstwhile.storage import erasure, passages, proposals
from erstwhile.storage.passages import IndexedText
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
    row_type = FACT_ROW

    def add(
        self, unit: Unit, fact: Fact, fingerprint: bytes, action: str, reason: str | None = None
    ) -> Fact:
        scope = unit.scope_id(fact.scope)
        row = FACT_ROW.encode(fact, scope=scope, fingerprint=fingerprint)
        unit.execute_async("add_fact", row)
        _index_labels(unit, fact, scope)
        passages.put(unit, indexed_text(fact, scope))
        unit.record(action, fact.id, fact.scope, reason, state_of(row))
        return fact

    def change(
        self, unit: Unit, old: Fact, new: Fact, action: str, reason: str | None = None
    ) -> Fact:
        check_change(unit, old, new, action)
        if new.known_from is not unit.now:
            new = replace(new, known_from=unit.now)
        scope = unit.scope_id(new.scope)
        row = FACT_ROW.encode(new, scope=scope)
        expected = {**row, "was_known_from": to_micros(old.known_from)}
        unit.execute_async("keep_version", expected)
        if not unit.run("change_fact", expected):
            raise BusyError(f"{old.id} was changed by another writer just now", remedy="try again")
        if (old.tags, old.entities, old.relations) != (new.tags, new.entities, new.relations):
            _index_labels(unit, new, scope)
        passages.change(unit, indexed_text(new, scope))
        unit.record(action, new.id, new.scope, reason, state_of(row))
        return new

    def destroy(self, unit: Unit, items: Sequence[Fact]) -> Counter[str]:
        items = _with_moved_originals(unit, items)
        removed = Counter(facts=len(items))
        for scope in {fact.scope for fact in items}:
            about = [(fact.id, fact.text) for fact in items if fact.scope == scope]
            removed["audit_entries"] += proposals.forget_facts(unit, scope, about)
        mentioned = [
            id
            for fact in items
            if fact.entities
            for (id, *_) in unit.rows("mentioned_entities", {"id": fact.id})
        ]
        for fact in items:
            _destroy_fact(unit, fact, removed)
        return removed + remove_orphaned_entities(unit, mentioned)

    def always_included(self, view: View, which: str, limit: int) -> list[Fact]:
        """Return the newest live facts for every prompt: pinned ones, or those of a kind.

        `which` is `PINNED`, or the kind `profile`, `instruction`, `project` or `environment`.
        """
        return self.select(view, "list_standing", {"limit": limit}, which, State.LIVE)


FACTS = FactTable()


def moved_from(unit: Unit, fact: Fact) -> list[Fact]:
    """Return the original of a moved fact, from another scope."""
    return FACTS.select(unit, "moved_from", {"id": fact.id})


def remove_orphaned_entities(unit: Unit, ids: Iterable[str]) -> Counter[str]:
    """Remove the entities without a mentioning fact."""
    removed: Counter[str] = Counter()
    for id in dict.fromkeys(ids):
        for entity, scope_id in unit.rows("orphaned_entities", {"id": id}, "one"):
            unit.execute_async("remove_names", {"id": entity})
            blanked = {"subject": entity, "scope": scope_id}
            removed["audit_entries"] += unit.run("blank_entries", blanked)
            removed["entities"] += unit.run("remove_entity", {"id": entity})
    return removed


def was_said_after(view: View, fact: Fact, moment: datetime) -> bool:
    """Return whether a fact was stated after a moment; its messages may be older than its row."""
    if fact.recorded_at <= moment:
        return False
    messages = () if fact.source is None else fact.source.messages
    times = [view.rows("said_last", {"message": message})[0][0] for message in messages]
    known = [from_micros(time) for time in times if time is not None]
    return max(known, default=fact.recorded_at) > moment


def _with_moved_originals(unit: Unit, items: Sequence[Fact]) -> list[Fact]:
    """Return facts with their originals before moves, which have the same text."""
    found = {fact.id: fact for fact in items}
    known = list(items)
    for fact in known:
        former = [each for each in moved_from(unit, fact) if each.id not in found]
        found |= {each.id: each for each in former}
        known += former
    return known


def _destroy_fact(unit: Unit, fact: Fact, removed: Counter[str]) -> None:
    unit.execute_async("overwrite_fact", {"id": fact.id, "blank": "0" * len(fact.text.encode())})
    passages.remove(unit, fact.id)
    for statement, part in _PARTS:
        removed[part] += unit.run(statement, {"id": fact.id})
    for id, *dimensions in unit.rows("feedback_on", {"fact": fact.id}):
        removed["audit_entries"] += erasure.forget(unit, id, to_scope(*dimensions))
    for statement in ("remove_uses", "remove_feedback"):
        unit.execute_async(statement, {"id": fact.id})
    conflicts = unit.rows("conflicts_of_fact", {"fact": fact.id})
    erasure.destroy_records(unit, "conflicts", conflicts, removed)
    unit.execute_async("remove_fact", {"id": fact.id})
    removed["audit_entries"] += erasure.forget(unit, fact.id, fact.scope)


def _index_labels(unit: Unit, fact: Fact, scope: int) -> None:
    """Index the tags of a fact, and link it to its entities and relations.

    Edges have no time of their own: they end when their fact is retired, deleted or erased.
    """
    place = {"fact": fact.id, "since": unit.stamp}
    for tag in fact.tags:
        unit.execute_async("add_tag", {**place, "scope": scope, "tag": folded(tag)})
    ids: dict[str, str] = {}
    for name in fact.entities:
        text = folded(name)
        label = {"scope": scope, "folded": text}
        found = unit.rows("find_entity", label)
        entity = ids[text] = str(found[0][0]) if found else new_id(unit.now)
        if not found:
            unit.execute_async("add_entity", {"id": entity, "scope": scope, "name": name})
            unit.execute_async("add_name", {**label, "entity": entity, "name": name})
        unit.execute_async("add_mention", {**place, "entity": entity})
    for subject, predicate, target in fact.relations:
        ends = {"subject": ids[folded(subject)], "object": ids[folded(target)]}
        unit.execute_async("add_relation", {**place, **ends, "predicate": predicate})


def indexed_text(fact: Fact, scope: int) -> IndexedText:
    """Return a fact for the search index: its text, with its key and labels as further words."""
    ended = fact.retired_at is not None or fact.deleted_at is not None
    return IndexedText(
        kind=TextKind.FACTS,
        id=fact.id,
        scope=scope,
        text=fact.text,
        labels=labels(fact),
        open=not ended and fact.trust is Trust.TRUSTED,
        conversation=fact.source.conversation if fact.source else None,
    )


def labels(fact: Fact) -> str:
    """Return the key of a fact, and the value, entities and tags missing from its text."""
    names = (*fact.entities, *fact.tags, *filter(None, [fact.value]))
    text = folded(fact.text) if names else ""
    absent = [name for name in names if folded(name) not in text]
    return " \n ".join([fact.key or "", *absent])
