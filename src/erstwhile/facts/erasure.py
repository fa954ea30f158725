"""Destroying facts: the rows first, then, once for all of them, the bytes they lay in.

Deleting a row leaves its text in the file until something is written over it. So an erasure writes
over the row, deletes it with all that hangs on it, and has the engine rewrite the store before the
receipt is given. Until that is done, the audit entry of an erasure keeps its nonce: one that was
cut short, by a crash or by somebody who was reading, is finished by the next.

Other collections erase in the same two steps: in a unit they remove their rows and call `forget`
for each, and after it they call `rewrite`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import timedelta

from erstwhile.core.errors import InvalidInputError, NotFoundError
from erstwhile.core.receipt import Receipt
from erstwhile.core.time import Moment
from erstwhile.facts import table as fact_table
from erstwhile.facts import text_index
from erstwhile.facts import usage as fact_uses
from erstwhile.facts.fact import Fact
from erstwhile.facts.rows import to_fact
from erstwhile.storage import erasure
from erstwhile.storage.access import Access
from erstwhile.storage.unit import Unit

_PARTS = (
    ("remove_versions", "versions"),
    ("remove_tags", "tags"),
    ("remove_relations", "relations"),
    ("remove_mentions", "mentions"),
)


def erase(access: Access, ids: Sequence[str]) -> Receipt:
    if not ids:
        raise InvalidInputError("no id was given", remedy="name each fact that is to be erased")

    def erased(unit: Unit) -> Receipt:
        found = dict(_find(unit, given) for given in ids)
        facts = [fact for fact in found.values() if fact is not None]
        removed = destroy(unit, facts)
        removed["facts"] = len(found)  # what was erased before is gone as well
        return erasure.receipt_of(unit.now, list(found), removed)

    receipt = access.change(erased, alone=True)
    erasure.rewrite(access)
    return receipt


def purge(access: Access, older_than: Moment | timedelta) -> Receipt:
    return erasure.receipt_of(
        *erasure.in_batches(access, lambda unit: _purge_batch(unit, older_than))
    )


def _purge_batch(unit: Unit, older_than: Moment | timedelta) -> erasure.Destroyed:
    deleted = {"before": erasure.so_long_ago(unit, older_than), "limit": erasure.BATCH}
    rows = unit.rows("find_deleted", deleted, erasure.own(unit))
    facts = [to_fact(row) for row in rows]
    return unit.now, [fact.id for fact in facts], destroy(unit, facts)


def _find(unit: Unit, given: str) -> tuple[str, Fact | None]:
    """Deleted or not: both can be erased, and both make a shortened id ambiguous.

    What was erased before has only its id left: to erase it again is no error.
    """
    try:
        fact = fact_table.find_own(unit, given, among=fact_table.PRESENT_OR_DELETED)
    except NotFoundError:
        before = erasure.erased_before(unit, given)
        if before is None:
            raise
        return before, None
    return fact.id, fact


def destroy(unit: Unit, facts: Sequence[Fact]) -> Counter[str]:
    removed = Counter(facts=len(facts))
    for fact in facts:
        unit.send("overwrite_fact", {"id": fact.id, "blank": "0" * len(fact.text.encode())})
        text_index.remove(unit, fact)
        for statement, part in _PARTS:
            removed[part] += unit.run(statement, {"id": fact.id})
        for judged in fact_uses.remove(unit, fact):
            removed["audit_entries"] += erasure.forget(unit, *judged)
        conflicts = unit.rows("conflicts_of_fact", {"fact": fact.id})
        erasure.destroy_records(unit, "conflicts", conflicts, removed)
        unit.send("remove_fact", {"id": fact.id})
        removed["audit_entries"] += erasure.forget(unit, fact.id, fact.scope)
    for (entity,) in unit.rows("orphaned_entities", {}):
        unit.send("remove_names", {"id": entity})
        removed["audit_entries"] += unit.run("blank_entries", {"subject": entity})
        removed["entities"] += unit.run("remove_entity", {"id": entity})
    return removed
