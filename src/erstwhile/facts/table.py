"""Facts as rows: finding one by its id, adding one, changing one. Each change leaves its trace.

Whatever changes a fact goes through `add` or `change`, so that the row, the state it replaces, the
look-up tables and the audit entry are always written together.
"""

from __future__ import annotations

from erstwhile.core.errors import BusyError
from erstwhile.core.ids import id_range
from erstwhile.core.kinds import State
from erstwhile.core.text import folded
from erstwhile.core.time import to_micros
from erstwhile.facts import graph, text_index
from erstwhile.facts.fact import Fact
from erstwhile.facts.rows import state_of, to_fact, to_row
from erstwhile.storage.lookup import owned, the_one
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View

PRESENT = (State.ANY,)
DELETED = (State.DELETED,)
PRESENT_OR_DELETED = PRESENT + DELETED


def find(view: View, given: str, *, among: tuple[State, ...] = PRESENT) -> Fact:
    """The one visible fact with this id, or whose id begins so."""
    found = _beginning(view, given, among)
    remedy = "" if found else _remedy(view, given, among)
    return the_one(found, "fact", given, remedy=remedy)


def find_own(unit: Unit, given: str, *, among: tuple[State, ...] = PRESENT) -> Fact:
    """The same, of a fact that this viewer may change: seeing is not owning."""
    return owned(unit.viewer, find(unit, given, among=among))


def add(
    unit: Unit, fact: Fact, fingerprint: bytes, *, action: str, reason: str | None = None
) -> Fact:
    scope = unit.scope_id(fact.scope)
    row = {"fingerprint": fingerprint, **to_row(fact, scope)}
    unit.send("add_fact", row)
    _index(unit, fact, scope)
    text_index.add(unit, fact, scope)
    unit.record(action, fact.id, fact.scope, reason, state_of(row))
    return fact


def change(unit: Unit, old: Fact, new: Fact, *, action: str, reason: str | None = None) -> Fact:
    scope = unit.scope_id(new.scope)
    row = to_row(new, scope)
    expected = {**row, "was_known_from": to_micros(old.known_from)}
    unit.send("keep_version", expected)
    if not unit.run("change_fact", expected):
        raise BusyError(f"{old.id} was changed by another writer just now", remedy="try again")
    if (old.tags, old.entities, old.relations) != (new.tags, new.entities, new.relations):
        _index(unit, new, scope)
    text_index.change(unit, new, scope)
    unit.record(action, new.id, new.scope, reason, state_of(row))
    return new


def _index(unit: Unit, fact: Fact, scope: int) -> None:
    place = {"scope": scope, "fact": fact.id, "since": unit.stamp}
    for tag in fact.tags:
        unit.send("add_tag", {**place, "tag": folded(tag)})
    if fact.entities:
        graph.mention(unit, fact, scope)


def _beginning(view: View, given: str, among: tuple[State, ...]) -> list[Fact]:
    lowest, highest = id_range(given)
    ids = {"lowest": lowest, "highest": highest}
    return [to_fact(row) for state in among for row in view.rows("find_facts", ids, state)]


def _remedy(view: View, given: str, among: tuple[State, ...]) -> str:
    if among == PRESENT and _beginning(view, given, DELETED):
        return "it was deleted; `facts.restore` brings it back"
    if among == DELETED and _beginning(view, given, PRESENT):
        return "it is not deleted"
    return "see what is there with `facts.list`"
