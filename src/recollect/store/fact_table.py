"""Facts as rows: finding one by its id, adding one, changing one. Each change leaves its trace.

Whatever changes a fact goes through `add` or `change`, so that the row, the state it replaces, the
look-up tables and the audit entry are always written together.
"""

from __future__ import annotations

from recollect.model.errors import AmbiguousIdError, BusyError, NotFoundError, ScopeError
from recollect.model.fact import Fact
from recollect.model.ids import id_range
from recollect.model.text import folded
from recollect.model.time import to_micros
from recollect.store import graph
from recollect.store.fact_rows import STATE_COLUMNS, to_fact, to_row
from recollect.store.unit import Unit
from recollect.store.view import View


def find(view: View, given: str, *, deleted: bool = False) -> Fact:
    """The one visible fact with this id, or whose id begins so."""
    lowest, highest = id_range(given)
    found = [
        to_fact(row) for row in view.rows("find_facts", {"lowest": lowest, "highest": highest})
    ]
    there = [fact for fact in found if (fact.deleted_at is not None) is deleted]
    if len(there) > 1:
        raise AmbiguousIdError(given, tuple(fact.id for fact in there))
    if not there:
        raise NotFoundError(f"no fact {given!r} is visible here", remedy=_remedy(found, deleted))
    return there[0]


def find_own(unit: Unit, given: str, *, deleted: bool = False) -> Fact:
    """The same, of a fact that this viewer may change: seeing is not owning."""
    fact = find(unit, given, deleted=deleted)
    if not unit.viewer.may_change(fact.scope):
        raise ScopeError(
            f"{fact.short_id} is visible here but belongs to another scope ({fact.scope})",
            remedy="change it from exactly that scope",
        )
    return fact


def add(unit: Unit, fact: Fact, *, action: str, reason: str | None = None) -> Fact:
    scope = unit.scope_id(fact.scope)
    row = to_row(fact, space=unit.space, scope=scope)
    unit.run("add_fact", row)
    _index(unit, fact, scope)
    unit.record(action, fact.id, fact.scope, reason, [row[column] for column in STATE_COLUMNS])
    return fact


def change(unit: Unit, old: Fact, new: Fact, *, action: str, reason: str | None = None) -> Fact:
    scope = unit.scope_id(new.scope)
    row = to_row(new, space=unit.space, scope=scope)
    expected = {**row, "was_known_from": to_micros(old.known_from)}
    unit.run("keep_version", expected)
    if not unit.run("change_fact", expected):
        raise BusyError(f"{old.id} was changed by another writer just now", remedy="try again")
    if (old.tags, old.entities, old.relations) != (new.tags, new.entities, new.relations):
        _index(unit, new, scope)
    unit.record(action, new.id, new.scope, reason, [row[column] for column in STATE_COLUMNS])
    return new


def _index(unit: Unit, fact: Fact, scope: int) -> None:
    since = to_micros(unit.now)
    for tag in fact.tags:
        unit.run("add_tag", {"tag": folded(tag), "fact": fact.id, "since": since})
    if fact.entities:
        graph.mention(unit, fact, scope)


def _remedy(found: list[Fact], deleted: bool) -> str:
    if not found:
        return "see what is there with `facts.list`"
    return "it is not deleted" if deleted else "it was deleted; `facts.restore` brings it back"
