"""The changes of a fact together with those of its predecessors and successors."""

from __future__ import annotations

from erstwhile.core.ports import Row
from erstwhile.core.time import from_micros
from erstwhile.facts.fact import FactChange
from erstwhile.facts.rows import to_fact
from erstwhile.storage.view import View


def changes_along(view: View, id: str) -> list[FactChange]:
    """Return the changes of a fact, its predecessors and its successors, also in other scopes."""
    made: list[FactChange] = []
    ids = _chain(view, id)
    for each in ids:
        steps = [_change(row) for row in view.rows("fact_changes", {"id": each})]
        made += steps
        if steps and steps[0].action == "move":  # the fact came from another scope
            former = [_chain(view, old) for old in steps[0].fact.supersedes]
            ids += [old for chain in former for old in chain if old not in ids]
    return made


def _chain(view: View, id: str) -> list[str]:
    return [each for (each,) in view.rows("fact_chain", {"id": id})]


def _change(row: Row) -> FactChange:
    at, action, actor, reason = row[:4]
    fact = to_fact(row[4:])
    return FactChange(at=from_micros(at), action=action, actor=actor, reason=reason, fact=fact)
