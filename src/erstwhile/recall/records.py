"""Read the full records that recall found, of every kind."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

from erstwhile.core.kinds import TextKind
from erstwhile.core.time import from_micros
from erstwhile.facts import usage as fact_uses
from erstwhile.facts.fact import Fact
from erstwhile.facts.rows import to_fact
from erstwhile.facts.usage_signals import NO_SIGNALS, Signals
from erstwhile.recall.hits import Recalled
from erstwhile.storage.view import View


def full_records(
    view: View, wanted: Iterable[tuple[TextKind, str]]
) -> dict[str, tuple[Recalled, Signals]]:
    """Return records by their ids, with the usage of facts."""
    ids: dict[TextKind, list[str]] = {}
    for kind, id in wanted:
        ids.setdefault(kind, []).append(id)
    found: dict[str, tuple[Recalled, Signals]] = {}
    for kind, some in ids.items():
        if kind is TextKind.FACTS:
            found |= _facts(view, some)
        else:
            found |= {id: (each, NO_SIGNALS) for id, each in _others(view, kind, some).items()}
    return found


def _facts(view: View, ids: Sequence[str]) -> dict[str, tuple[Fact, Signals]]:
    """Return facts with their usage; a view of the past has no usage."""
    rows = view.rows("facts_in_full", {"ids": json.dumps(ids)})
    seen_at = from_micros(view.as_of)
    facts = [(to_fact(row[1:]).seen_at(seen_at), bool(row[0])) for row in rows]
    used = [fact for fact, is_used in facts if is_used and not view.is_past]
    signals = fact_uses.signals(view, used) if used else {}
    return {fact.id: (fact, signals.get(fact.id, NO_SIGNALS)) for fact, _ in facts}


def _others(view: View, kind: TextKind, ids: list[str]) -> Mapping[str, Recalled]:
    # Imported here: recall among facts does not load the collections of other records.
    from erstwhile.recall.other_records import read

    return read(view, kind, ids)
