"""What can be done to a stored fact, each as one unit: all of it happens, or none."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

from recollect.model.draft import Details, draft
from recollect.model.errors import ConflictError
from recollect.model.fact import Fact
from recollect.model.kinds import Ending
from recollect.model.lifecycle import confirmed, retired, revived
from recollect.model.text import folded
from recollect.model.time import FOREVER, Moment, parse_moment, to_micros
from recollect.store import fact_table, remembering
from recollect.store.fact_rows import to_fact
from recollect.store.unit import Unit


def replace_text(unit: Unit, old: Fact, text: str, details: Details, reason: str | None) -> Fact:
    if old.retired_at is not None:
        raise ConflictError(
            f"{old.short_id} ended already ({old.retired_because})",
            remedy="replace the fact that is live now; its history shows which",
        )
    said: Details = {**_inherited(old, text, unit.now), **details}
    new = draft(text, now=unit.now, **said)
    if folded(new.text) == folded(old.text) and new.kind is old.kind:
        return old
    return remembering.supersede(unit, old, new, reason)


def retire(unit: Unit, fact: Fact, because: Ending, ended: Moment | None) -> Fact:
    end = None if ended is None else parse_moment(ended, now=unit.now, name="ended")
    return retired(fact, because, at=unit.now, ended=end)


def undo(unit: Unit, fact: Fact) -> Fact:
    """The fact as it was before it was retired; what took its place is taken back."""
    if fact.retired_at is None:
        raise ConflictError(f"{fact.short_id} was not retired", remedy="there is nothing to undo")
    changed_at = to_micros(fact.retired_at)
    before = to_fact(unit.rows("fact_before", {"id": fact.id, "changed_at": changed_at})[0])
    alive = revived(fact, before, unit.now)
    if (alive.ends_at or FOREVER) <= unit.now:
        raise ConflictError(f"the time of {fact.short_id} ran out", remedy="remember it again")
    _take_back_successor(unit, fact)
    _check_room(unit, alive)
    return alive


def confirm(unit: Unit, fact: Fact) -> Fact:
    if fact.retired_at is not None:
        raise ConflictError(f"{fact.short_id} has ended", remedy="undo that first")
    return confirmed(fact, unit.now)


def restore(unit: Unit, fact: Fact) -> Fact:
    there = stamped(unit, fact, deleted_at=None)
    if fact.retired_at is None:
        _check_room(unit, there)
    return there


def stamped(unit: Unit, fact: Fact, **changes: Any) -> Fact:
    return replace(fact, known_from=unit.now, **changes)


def _inherited(old: Fact, text: str, now: datetime) -> Details:
    """What a replacement keeps; of the entities those that the new text still names."""
    still_named = [name for name in old.entities if folded(name) in folded(text)]
    return {
        "kind": old.kind,
        "key": old.key,
        "entities": still_named,
        "tags": old.tags,
        "metadata": old.metadata,
        "expires_at": old.expires_at if (old.expires_at or now) > now else None,
        "pinned": old.pinned,
    }


def _take_back_successor(unit: Unit, fact: Fact) -> None:
    """If retiring the fact made a successor, that was a mistake: it never was true."""
    if fact.superseded_by is None:
        return
    successor = fact_table.find(unit, fact.superseded_by)
    if successor.recorded_at != fact.retired_at:
        return
    if successor.retired_at is not None:
        raise ConflictError(
            f"{successor.short_id}, which replaced it, has itself ended",
            remedy="undo that first",
        )
    wrong = retired(successor, Ending.WRONG, at=unit.now)
    fact_table.change(unit, successor, wrong, action="retire", reason=f"undo of {fact.short_id}")


def _check_room(unit: Unit, fact: Fact) -> None:
    """A fact can come back only where no other has taken its place."""
    rivals = [remembering.find_twin(unit, fact.scope, fact.kind, fact.text, fact.key)]
    if fact.key is not None:
        since = to_micros(fact.valid_from)
        rivals += remembering.find_values(unit, fact.scope, fact.key, since)
    for rival in rivals:
        if rival is not None and rival.id != fact.id and rival.retired_at is None:
            raise ConflictError(
                f"{rival.short_id} is live in its place", remedy="retire that one first"
            )
