"""Move a fact to a wider or narrower scope, and take that back.

The scope of a fact never changes: its earlier states and its audit entries belong to that scope. So
a move ends the fact in one scope and begins a new one with the same content in the other, in one
transaction. The old one keeps no valid time, because the new one is true for all of it; an answer
with an earlier `known_at` still comes from the old scope. Both are linked, as after a replacement,
and no other facts of different scopes are. Undoing the move reverses both.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from erstwhile.core.errors import ConflictError, InvalidInputError, ScopeError
from erstwhile.core.ids import new_id
from erstwhile.core.kinds import Ending
from erstwhile.core.scope import DIMENSIONS, EVERYONE, SHARED, Scope, Viewer
from erstwhile.core.text import fingerprint
from erstwhile.facts import remembering
from erstwhile.facts.conflict import note_conflict, open_conflicts_of
from erstwhile.facts.fact import Fact
from erstwhile.facts.lifecycle import clipped, ran_out, retired
from erstwhile.facts.rows import to_fact
from erstwhile.facts.table import FACTS, moved_from
from erstwhile.storage.standing import check_person
from erstwhile.storage.unit import Unit


def move(unit: Unit, id: str, to: str | Sequence[str], reason: str | None) -> Fact:
    """Move a fact to the scope with these dimensions of the viewer; return the new fact."""
    check_person(unit.viewer, "move a fact")
    target, old = scope_of(unit.viewer, to), FACTS.find(unit, id)
    if old.scope == target:
        raise ConflictError(
            f"{old.short_id} is in the scope {target} already", remedy="name other dimensions"
        )
    _check_owner(unit.viewer, old)
    _lock(unit, old.scope, target)
    if old.retired_at is not None or ran_out(old, unit.now):
        raise ConflictError(f"{old.short_id} has ended", remedy="undo that first")
    remembering.check_room(unit, replace(old, scope=target))
    return _moved(unit, old, target, reason)


def _check_owner(viewer: Viewer, fact: Fact) -> None:
    """Raise ScopeError if moving a fact would take it from other users."""
    if viewer.scope.user is not None and fact.scope.user is None:
        raise ScopeError(
            f"{fact.short_id} is shared with other users ({fact.scope})",
            remedy="move it from exactly that scope",
        )


def last_move(unit: Unit, fact: Fact) -> tuple[Fact, Fact] | None:
    """Return the fact before and after the move that ended it, or that brought it here."""
    pairs: Iterable[tuple[Fact, Fact]] = ()
    if fact.superseded_by is not None:
        rows = unit.rows("fact_before", {"id": fact.superseded_by})
        pairs = [(fact, to_fact(row)) for row in rows]
    elif fact.retired_at is None and not ran_out(fact, unit.now):
        pairs = [(former, fact) for former in moved_from(unit, fact)]
    return next((pair for pair in pairs if pair[0].scope != pair[1].scope), None)


def take_back(unit: Unit, old: Fact, new: Fact, reason: str | None) -> Fact:
    """Return a fact to the scope from which it was moved, as it is now."""
    check_person(unit.viewer, "move a fact")
    _lock(unit, old.scope, new.scope)
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
    remembering.check_room(unit, back)
    why = f"undo of {old.short_id}"
    FACTS.change(unit, new, retired(new, Ending.WRONG, at=unit.now), "unmove", why)
    return FACTS.change(unit, old, back, "undo", reason)


def scope_of(viewer: Viewer, to: str | Sequence[str]) -> Scope:
    """Return the scope with the named dimensions of a viewer."""
    if viewer.everything:
        raise ScopeError(
            "an administrator's view has no scope to move within", remedy="use memory.scoped(…)"
        )
    if not isinstance(to, str | list | tuple) or not all(isinstance(each, str) for each in to):
        raise InvalidInputError(
            f"a scope cannot be {to!r}",
            remedy=f"use {', '.join(DIMENSIONS)}, or {EVERYONE!r} alone",
        )
    names = [to] if isinstance(to, str) else list(to)
    if names == [EVERYONE]:
        return SHARED
    if not names:
        raise InvalidInputError(
            "no dimension is named", remedy=f"name one, or {EVERYONE!r} to let everyone see it"
        )
    return Scope(**{name: _own(viewer, name) for name in names})


def _own(viewer: Viewer, name: str) -> str:
    """Return the viewer's own value of a dimension."""
    if name not in DIMENSIONS:
        raise InvalidInputError(
            f"{name!r} is not a dimension of a scope",
            remedy=f"use {', '.join(DIMENSIONS)}, or {EVERYONE!r} alone",
        )
    value: str | None = getattr(viewer.scope, name)
    if value is None:
        raise ScopeError(
            f"this memory has no {name}", remedy=f"use memory.scoped({name}=…), or leave it out"
        )
    return value


def _lock(unit: Unit, *scopes: Scope) -> None:
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


def _moved(unit: Unit, old: Fact, target: Scope, reason: str | None) -> Fact:
    """End the fact in its scope, and begin it in another one."""
    disputed = open_conflicts_of(unit, old)
    new = replace(old, id=new_id(unit.now), scope=target, known_from=unit.now, supersedes=(old.id,))
    FACTS.change(unit, old, clipped(old, new, unit.now), "move", reason)
    FACTS.add(unit, new, fingerprint(new.text, new.key), "move", reason)
    for conflict in disputed:
        note_conflict(unit, new, [conflict.other(old.id)], conflict.reason or "")
    return new
