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
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import TypeAlias

from recollect.model.erasure import Receipt
from recollect.model.errors import InvalidInputError, NotFoundError
from recollect.model.fact import Fact
from recollect.model.ids import id_range
from recollect.model.scope import Scope
from recollect.model.time import Moment, parse_age, to_micros
from recollect.ports import Row
from recollect.store import fact_table, fact_uses, text_index
from recollect.store.access import Access
from recollect.store.fact_rows import to_fact, to_scope
from recollect.store.unit import Unit
from recollect.store.view import View

BATCH = 500
Destroyed: TypeAlias = tuple[datetime, list[str], Counter[str]]
"""When, which ids, and how many of each part went with them."""
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
        return receipt_of(unit.now, list(found), removed)

    receipt = access.change(erased, alone=True)
    rewrite(access)
    return receipt


def purge(access: Access, older_than: Moment | timedelta) -> Receipt:
    return receipt_of(*in_batches(access, lambda unit: _purge_batch(unit, older_than)))


def in_batches(access: Access, batch: Callable[[Unit], Destroyed]) -> Destroyed:
    """Destroy until nothing is left to, in batches, so that no transaction is long.

    The store is rewritten once, at the end.
    """
    ids: list[str] = []
    removed: Counter[str] = Counter()
    while True:
        now, found, parts = access.change(batch, alone=True)
        ids += found
        removed += parts
        if not found:
            break
    rewrite(access)
    return now, ids, removed


def forget(unit: Unit, id: str, scope: Scope) -> int:
    """Let the trail say that a record was erased, and no more; how many entries were emptied."""
    emptied = unit.run("blank_entries", {"subject": id})
    unit.record("erase", id, scope, None)
    return emptied


def erased_before(unit: Unit, given: str) -> str | None:
    """The id of what was erased from here before, if just one begins so."""
    lowest, highest = id_range(given)
    rows = unit.rows("erased_before", {"lowest": lowest, "highest": highest}, own(unit))
    return str(rows[0][0]) if len(rows) == 1 else None


def so_long_ago(unit: Unit, older_than: Moment | timedelta) -> int:
    """The moment before which things are old enough to be destroyed."""
    before = parse_age(older_than, now=unit.now, name="older_than")
    if before > unit.now:
        raise InvalidInputError("older_than lies in the future", remedy="give an age: '30 days'")
    return to_micros(before)


def destroy_records(unit: Unit, table: str, rows: Sequence[Row], removed: Counter[str]) -> None:
    """Destroy the records that tell of what is being erased; a row has an id, and its scope."""
    for id, *dimensions in rows:
        unit.run("remove_record", {"id": id}, table)
        removed["records"] += 1
        removed["audit_entries"] += forget(unit, id, to_scope(*dimensions))


def own(view: View) -> str:
    """Whose records may be destroyed: those of exactly this scope, or an administrator's all."""
    return "everything" if view.viewer.everything else "own"


def rewrite(access: Access) -> None:
    """Only if there was an erasure since the last time: a large store takes a while."""
    [(newest,)] = access.ask(lambda view: view.rows("unfinished_erasures", {}))
    if newest is not None:
        access.change(lambda unit: unit.run("forget_terms", {}, "facts"))
        access.change(lambda unit: unit.run("forget_terms", {}, "records"))
        access.engine.compact()
        access.change(lambda unit: unit.run("finish_erasures", {"newest": newest}))


def _purge_batch(unit: Unit, older_than: Moment | timedelta) -> Destroyed:
    deleted = {"before": so_long_ago(unit, older_than), "limit": BATCH}
    rows = unit.rows("find_deleted", deleted, own(unit))
    facts = [to_fact(row) for row in rows]
    return unit.now, [fact.id for fact in facts], destroy(unit, facts)


def _find(unit: Unit, given: str) -> tuple[str, Fact | None]:
    """Deleted or not: both can be erased, and both make a shortened id ambiguous.

    What was erased before has only its id left: to erase it again is no error.
    """
    try:
        fact = fact_table.find_own(unit, given, among=fact_table.PRESENT_OR_DELETED)
    except NotFoundError:
        before = erased_before(unit, given)
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
            removed["audit_entries"] += forget(unit, *judged)
        conflicts = unit.rows("conflicts_of_fact", {"fact": fact.id})
        destroy_records(unit, "conflicts", conflicts, removed)
        unit.send("remove_fact", {"id": fact.id})
        removed["audit_entries"] += forget(unit, fact.id, fact.scope)
    for (entity,) in unit.rows("orphaned_entities", {}):
        unit.send("remove_names", {"id": entity})
        removed["audit_entries"] += unit.run("blank_entries", {"subject": entity})
        removed["entities"] += unit.run("remove_entity", {"id": entity})
    return removed


def receipt_of(at: datetime, ids: Sequence[str], removed: Counter[str]) -> Receipt:
    return Receipt(at=at, ids=tuple(ids), **removed)
