"""The edges of the entity graph, written together with facts.

An entity is found or created by its folded name within the scope of the fact. Edges have no time
of their own: they end when their fact is retired, deleted or erased.
"""

from __future__ import annotations

from erstwhile.core.ids import new_id
from erstwhile.core.text import folded
from erstwhile.facts.fact import Fact
from erstwhile.storage.unit import Unit


def mention(unit: Unit, fact: Fact, scope: int) -> None:
    """Link the fact to its entities, and its relations to the entities at both ends."""
    ids = {folded(name): find_or_add(unit, name, scope) for name in fact.entities}
    for entity in ids.values():
        unit.send("add_mention", {"entity": entity, "fact": fact.id, "since": unit.stamp})
    for subject, predicate, target in fact.relations:
        unit.send(
            "add_relation",
            {
                "fact": fact.id,
                "subject": ids[folded(subject)],
                "predicate": predicate,
                "object": ids[folded(target)],
                "since": unit.stamp,
            },
        )


def find_or_add(unit: Unit, name: str, scope: int) -> str:
    known = {"scope": scope, "folded": folded(name)}
    found = unit.rows("find_entity", known)
    if found:
        return str(found[0][0])
    entity = new_id(unit.now)
    unit.send("add_entity", {"id": entity, "scope": scope, "name": name})
    unit.send("add_name", {**known, "entity": entity, "name": name})
    return entity
