"""What is in quarantine or in conflict as people like to read it."""

from __future__ import annotations

from datetime import datetime

from rich.console import RenderableType
from rich.text import Text

from erstwhile.cli.safe_text import safe_line
from erstwhile.cli.views.layout import ROWS, one_line, second, statement, view
from erstwhile.cli.views.records import record_view
from erstwhile.facts.conflict import Conflict
from erstwhile.facts.quarantine_item import Held


@view.register
def _conflict_view(conflict: Conflict, at: datetime | None) -> RenderableType:
    return record_view(
        conflict,
        conflict.reason or "These may contradict each other",
        ("status", _status(conflict)),
        ("older", one_line(conflict.older, at)),
        ("newer", one_line(conflict.newer, at)),
        ("settled", second(conflict.settled_at) if conflict.settled_at else None),
        ("kept", conflict.kept),
        ("resolution", conflict.resolution),
    )


def _conflict_row(conflict: Conflict, at: datetime | None) -> dict[str, Text]:
    return {
        "id": Text(conflict.short_id, "dim"),
        "status": _status(conflict),
        "older": statement(conflict.older, at),
        "newer": statement(conflict.newer, at),
        "why": Text(safe_line(conflict.reason or "")),
        "scope": Text(safe_line(str(conflict.scope)), "dim"),
    }


def _held_row(held: Held, _at: datetime | None) -> dict[str, Text]:
    return {
        "id": Text(held.fact.short_id, "dim"),
        "fact": Text(safe_line(held.fact.text)),
        "why": Text(safe_line(held.reason)),
        "rule": Text(safe_line(held.rule), "cyan"),
        "scope": Text(safe_line(str(held.fact.scope)), "dim"),
    }


def _status(conflict: Conflict) -> Text:
    if conflict.settled_at is not None:
        return Text("settled", "green")
    return Text("moot", "dim") if conflict.moot else Text("open", "yellow")


ROWS[Conflict] = _conflict_row
ROWS[Held] = _held_row
