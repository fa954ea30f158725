"""Destroying facts: the rows first, then, once for all of them, the bytes they lay in.

Deleting a row leaves its text in the file until something is written over it. So an erasure writes
over the row, deletes it with all that hangs on it, and has the engine rewrite the store before the
receipt is given. Until that is done, the audit entry of an erasure keeps its nonce: one that was
cut short, by a crash or by somebody who was reading, is finished by the next.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta

from recollect.model.erasure import Receipt
from recollect.model.errors import InvalidInputError, NotFoundError
from recollect.model.fact import Fact
from recollect.model.ids import id_range
from recollect.model.time import Moment, parse_age, to_micros
from recollect.store import fact_table, text_index
from recollect.store.access import Access
from recollect.store.fact_rows import to_fact
from recollect.store.unit import Unit

_BATCH = 500
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
        return receipt_of(unit.now, list(found), destroy(unit, facts))

    receipt = access.change(erased, alone=True)
    rewrite(access)
    return receipt


def purge(access: Access, older_than: Moment | timedelta) -> Receipt:
    """In batches, so that no transaction is long; the store is rewritten once, at the end."""
    ids: list[str] = []
    removed: Counter[str] = Counter()
    while True:
        found, parts, now = access.change(lambda unit: _purge_batch(unit, older_than), alone=True)
        ids += found
        removed += parts
        if len(found) < _BATCH:
            break
    rewrite(access)
    return receipt_of(now, ids, removed)


def rewrite(access: Access) -> None:
    """Only if there was an erasure since the last time: a large store takes a while."""
    [(newest,)] = access.ask(lambda view: view.rows("unfinished_erasures", {}))
    if newest is not None:
        access.change(lambda unit: unit.run("forget_terms", {}))
        access.engine.compact()
        access.change(lambda unit: unit.run("finish_erasures", {"newest": newest}))


def _purge_batch(
    unit: Unit, older_than: Moment | timedelta
) -> tuple[list[str], Counter[str], datetime]:
    before = parse_age(older_than, now=unit.now, name="older_than")
    if before > unit.now:
        raise InvalidInputError("older_than lies in the future", remedy="give an age: '30 days'")
    rows = unit.rows("find_deleted", {"before": to_micros(before), "limit": _BATCH}, own(unit))
    facts = [to_fact(row) for row in rows]
    return [fact.id for fact in facts], destroy(unit, facts), unit.now


def _find(unit: Unit, given: str) -> tuple[str, Fact | None]:
    """Deleted or not: both can be erased, and both make a shortened id ambiguous.

    What was erased before has only its id left: to erase it again is no error.
    """
    try:
        fact = fact_table.find_own(unit, given, among=fact_table.PRESENT_OR_DELETED)
    except NotFoundError:
        lowest, highest = id_range(given)
        before = unit.rows("erased_before", {"lowest": lowest, "highest": highest}, own(unit))
        if len(before) != 1:
            raise
        return str(before[0][0]), None
    return fact.id, fact


def own(unit: Unit) -> str:
    return "everything" if unit.viewer.everything else "own"


def destroy(unit: Unit, facts: list[Fact]) -> Counter[str]:
    removed: Counter[str] = Counter()
    for fact in facts:
        unit.send("overwrite_fact", {"id": fact.id, "blank": "0" * len(fact.text.encode())})
        text_index.remove(unit, fact)
        for statement, part in _PARTS:
            removed[part] += unit.run(statement, {"id": fact.id})
        unit.send("remove_fact", {"id": fact.id})
        removed["audit_entries"] += unit.run("blank_entries", {"subject": fact.id})
        unit.record("erase", fact.id, fact.scope, None)
    for (entity,) in unit.rows("orphaned_entities", {}):
        unit.send("remove_names", {"id": entity})
        removed["audit_entries"] += unit.run("blank_entries", {"subject": entity})
        removed["entities"] += unit.run("remove_entity", {"id": entity})
    return removed


def receipt_of(at: datetime, ids: list[str], removed: Counter[str]) -> Receipt:
    return Receipt(at=at, ids=tuple(ids), **removed)
