"""Read the standing wishes that belong in every context: of messages of people, and of facts."""

from __future__ import annotations

import json
from collections.abc import Iterator

from erstwhile.context.gathered import Found
from erstwhile.context.wishes import Stated, standing
from erstwhile.core.kinds import TextKind
from erstwhile.core.time import from_micros
from erstwhile.recall.records import full_records
from erstwhile.search.wishes import LONGEST, Strength
from erstwhile.storage.columns import to_scope
from erstwhile.storage.view import View

_READ = 60
"""The newest passages with wishes that are read. More would rarely stand."""


def standing_wishes(view: View) -> list[Found]:
    """Return the wishes that stand now, newest first, each with its place in its record."""
    places = dict(_stated(view))
    chosen = standing(places)
    records = full_records(view, {places[each][:2] for each in chosen})
    return [
        Found(records[id][0], start, end, kind)
        for kind, id, start, end in (places[each] for each in reversed(chosen))
    ]


def _stated(view: View) -> Iterator[tuple[Stated, tuple[TextKind, str, int, int]]]:
    """Yield each wish with the kind and id of its record, and its place there."""
    rows = view.rows("newest_wishes", {"longest": LONGEST, "limit": _READ})
    for kind, id, wishes, offset, told_at, text, *scope in rows:
        for start, length, strength in json.loads(wishes):
            stated = Stated(
                text=text[start - offset : start - offset + length],
                said_at=from_micros(told_at),
                id=id,
                strength=Strength(strength),
                start=start,
                scope=to_scope(*scope),
            )
            yield stated, (TextKind(kind), id, start, start + length)
