"""Replace, update, retire, undo and move facts. Each change runs inside one transaction.

The scope of a fact never changes: its earlier states and its audit entries belong to that scope. So
a move ends the fact in one scope and begins a new one with the same content in the other. The old
one keeps no valid time, because the new one is true for all of it; an answer with an earlier
`known_at` still comes from the old scope. Undoing the move reverses both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from erstwhile.core.errors import ConflictError, InvalidInputError, NotFoundError, ScopeError
from erstwhile.core.ids import new_id
from erstwhile.core.kinds import Ending, Kind
from erstwhile.core.scope import DIMENSIONS, EVERYONE, SHARED, Scope, Viewer
from erstwhile.core.text import checked_metadata, checked_text, fingerprint, folded
from erstwhile.core.time import Moment, parse_moment, to_micros
from erstwhile.facts.agent_rules import check_draft
from erstwhile.facts.conflict import note_conflict, open_conflicts_of
from erstwhile.facts.draft import Details, as_agent, draft
from erstwhile.facts.fact import MAX_TEXT, Fact, to_fact
from erstwhile.facts.held import with_mark_of
from erstwhile.facts.lifecycle import clipped, ran_out, retired, revived
from erstwhile.facts.remember import check_no_rival, supersede
from erstwhile.facts.table import FACTS, moved_from
from erstwhile.storage.table import EITHER
from erstwhile.storage.unit import Unit


def replace_text(unit: Unit, old: Fact, text: str, details: Details, reason: str | None) -> Fact:
    """Replace a fact by a new one. The same text without details changes nothing."""
    if old.retired_at is not None:
        raise ConflictError(
            f"{old.short_id} has already ended ({old.ending})",
            remedy="replace the live fact instead; the history shows it",
        )
    given = as_agent(unit.viewer, details)
    new = draft(text, now=unit.now, **{**_inherited_details(old, text, unit.now), **given})
    if not old.pinned:
        check_draft(unit.viewer, new)
    if not details and folded(new.text) == folded(old.text) and not ran_out(old, unit.now):
        return old
    return supersede(unit, old, new, reason)


def retire(unit: Unit, fact: Fact, ending: Ending, ended: Moment | None) -> Fact:
    end = None if ended is None else parse_moment(ended, now=unit.now, name="ended")
    if end is not None and end < fact.valid_from:
        raise InvalidInputError(
            f"{fact.short_id} was not true yet at that time: it began at {fact.valid_from}",
            remedy="give a later `ended`, or retire it as wrong if it was never true",
        )
    return retired(fact, ending, at=unit.now, ended=end)


def undo(unit: Unit, fact: Fact) -> Fact:
    """Return the fact as it was before its end, and retire its successor; or undo an update."""
    if fact.retired_at is None and not ran_out(fact, unit.now):
        acts = unit.acts_on(fact.id, fact.scope)
        if acts and acts[0][0] == "update":
            return _undo_update(unit, fact)
        raise ConflictError(f"{fact.short_id} has not ended", remedy="there is nothing to undo")
    before = fact if fact.retired_at is None else state_before(unit, fact.id, fact.retired_at)
    alive = revived(fact, before, unit.now)
    _undo_successor(unit, fact)
    check_no_rival(unit, alive)
    return alive


def state_before(unit: Unit, id: str, at: datetime) -> Fact:
    """Return the state of a fact just before a change at a moment."""
    params = {"id": id, "known_at": to_micros(at) - 1}
    return to_fact(unit.rows("fact_before", params, "past")[0])


def checked_update(
    kind: Kind | str | None, tags: Sequence[str] | None, metadata: Mapping[str, Any] | None
) -> Mapping[str, Any]:
    """Return the fields of an update, checked."""
    given = {"kind": kind, "tags": tags, "metadata": metadata}
    named: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    if not named:
        raise InvalidInputError("no change is given", remedy="give kind, tags or metadata")
    new = draft("update", **named)
    return {name: getattr(new, name) for name in named}


def update(unit: Unit, fact: Fact, new: Mapping[str, Any]) -> Fact:
    """Return a fact with other labels. The mark of a held fact stays."""
    if "metadata" in new:
        new = {**new, "metadata": checked_metadata(with_mark_of(fact.metadata, new["metadata"]))}
    changed = replace(fact, **new)
    if changed == fact:
        raise ConflictError(
            f"{fact.short_id} already has these labels", remedy="change at least one"
        )
    if changed.kind is not fact.kind:
        check_no_rival(unit, changed)
    return changed


def _undo_update(unit: Unit, fact: Fact) -> Fact:
    """Return the fact with the labels before its last change, which was an update."""
    before = state_before(unit, fact.id, fact.known_from)
    labels = {name: getattr(before, name) for name in ("kind", "tags", "metadata")}
    back = replace(fact, **labels)
    check_no_rival(unit, back)
    return back


def _inherited_details(old: Fact, text: str, now: datetime) -> Details:
    """Return the details for a replacement, with only the entities named in its text."""
    new_text = folded(checked_text(text, name="text", limit=MAX_TEXT))
    still_named = [name for name in old.entities if folded(name) in new_text]
    return {
        "kind": old.kind,
        "key": old.key,
        "entities": still_named,
        "tags": old.tags,
        "metadata": old.metadata,
        "expires_at": old.expires_at if (old.expires_at or now) > now else None,
        "pinned": old.pinned,
    }


def _undo_successor(unit: Unit, fact: Fact) -> None:
    """Retire the successor as wrong if the retirement of the fact created it."""
    if fact.superseded_by is None:
        return
    try:
        successor = FACTS.find(unit, fact.superseded_by, among=EITHER)
    except NotFoundError:
        return
    why = f"undo of {fact.short_id}"
    if successor.recorded_at != fact.retired_at:  # it is older than the retirement, so it stays
        links = tuple(id for id in successor.supersedes if id != fact.id)
        apart = replace(successor, supersedes=links)
        FACTS.change(unit, successor, apart, action="unlink", reason=why)
        return
    if successor.retired_at is not None:
        raise ConflictError(
            f"{successor.short_id}, which replaced it, has ended too",
            remedy="undo that first",
        )
    wrong = retired(successor, Ending.WRONG, at=unit.now)
    FACTS.change(unit, successor, wrong, action="retire", reason=why)


def move(unit: Unit, id: str, to: str | Sequence[str], reason: str | None) -> Fact:
    """Move a fact to the scope with these dimensions of the viewer; return the new fact."""
    unit.viewer.check_person("move a fact")
    target, old = scope_of(unit.viewer, to), FACTS.find(unit, id)
    if old.scope == target:
        raise ConflictError(
            f"{old.short_id} is already in the scope {target}", remedy="name other dimensions"
        )
    if unit.viewer.scope.user is not None and old.scope.user is None:
        raise ScopeError(
            f"{old.short_id} is shared with other users ({old.scope})",
            remedy="move it from exactly that scope",
        )
    _lock_scopes(unit, old.scope, target)
    if old.retired_at is not None or ran_out(old, unit.now):
        raise ConflictError(f"{old.short_id} has ended", remedy="undo that first")
    check_no_rival(unit, replace(old, scope=target))
    disputed = open_conflicts_of(unit, old)
    new = replace(old, id=new_id(unit.now), scope=target, known_from=unit.now, supersedes=(old.id,))
    FACTS.change(unit, old, clipped(old, new, unit.now), "move", reason)
    FACTS.add(unit, new, fingerprint(new.text, new.key), "move", reason)
    for conflict in disputed:
        note_conflict(unit, new, [conflict.other(old.id)], conflict.reason or "")
    return new


def last_move(unit: Unit, fact: Fact) -> tuple[Fact, Fact] | None:
    """Return the fact before and after its last move; None if it was not moved."""
    pairs: list[tuple[Fact, Fact]] = []
    if fact.superseded_by is not None:
        rows = unit.rows("fact_before", {"id": fact.superseded_by})
        pairs = [(fact, to_fact(row)) for row in rows]
    elif fact.retired_at is None and not ran_out(fact, unit.now):
        pairs = [(former, fact) for former in moved_from(unit, fact)]
    return next((pair for pair in pairs if pair[0].scope != pair[1].scope), None)


def undo_move(unit: Unit, old: Fact, new: Fact, reason: str | None) -> Fact:
    """Undo a move: return the fact to its former scope, as it is now."""
    unit.viewer.check_person("move a fact")
    _lock_scopes(unit, old.scope, new.scope)
    if new.retired_at is not None:
        raise ConflictError(
            f"{new.short_id}, which it became, has ended too", remedy="undo that first"
        )
    back = replace(
        new,
        id=old.id,
        scope=old.scope,
        supersedes=old.supersedes,
        expires_at=None if ran_out(new, unit.now) else new.expires_at,
        deleted_at=None,
    )
    check_no_rival(unit, back)
    why = f"undo of {old.short_id}"
    FACTS.change(unit, new, retired(new, Ending.WRONG, at=unit.now), "unmove", why)
    return FACTS.change(unit, old, back, "undo", reason)


def scope_of(viewer: Viewer, to: str | Sequence[str]) -> Scope:
    """Return the scope with the named dimensions of a viewer."""
    if viewer.everything:
        raise ScopeError(
            "an administrator's view has no scope to move within", remedy="use memory.scoped(…)"
        )
    remedy = f"use {', '.join(DIMENSIONS)}, or {EVERYONE!r} alone"
    if not isinstance(to, str | list | tuple) or not all(isinstance(each, str) for each in to):
        raise InvalidInputError(f"a scope cannot be {to!r}", remedy=remedy)
    names = [to] if isinstance(to, str) else list(to)
    if names == [EVERYONE]:
        return SHARED
    if not names:
        raise InvalidInputError(
            "no dimension is named", remedy=f"name one, or {EVERYONE!r} to let everyone see it"
        )
    if unknown := [name for name in names if name not in DIMENSIONS]:
        raise InvalidInputError(f"{unknown[0]!r} is not a dimension of a scope", remedy=remedy)
    for name in names:
        if getattr(viewer.scope, name) is None:
            raise ScopeError(
                f"this memory has no {name}", remedy=f"use memory.scoped({name}=…), or leave it out"
            )
    return Scope(**{name: getattr(viewer.scope, name) for name in names})


def _lock_scopes(unit: Unit, *scopes: Scope) -> None:
    """Lock both scopes of a move, if the viewer sees them and its caller may leave them."""
    viewer = unit.viewer
    if not all(viewer.everything or viewer.scope.sees(scope) for scope in scopes):
        raise ScopeError(
            "the fact was moved from or to a scope that is not visible here",
            remedy="undo it from the narrower of the two scopes",
        )
    if not all(scope.sees(viewer.within) for scope in scopes):
        raise ScopeError(
            f"the fact would enter or leave {viewer.within}, and this caller stays within it",
            remedy="use a token without this scope",
        )
    unit.also_lock(*scopes)
