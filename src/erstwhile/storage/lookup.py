"""Find one record by its id, and check that the viewer owns it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Protocol, TypeVar

from erstwhile.core.errors import AmbiguousIdError, NotFoundError, ScopeError
from erstwhile.core.scope import Scope, Viewer


class Identified(Protocol):
    """A dataclass that has an id and belongs to a scope."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def id(self) -> str: ...
    @property
    def short_id(self) -> str: ...
    @property
    def scope(self) -> Scope: ...


Record = TypeVar("Record", bound=Identified)


def the_one(found: Sequence[Record], noun: str, given: str, *, remedy: str) -> Record:
    """Return the only record found; raise an error if there is none or several."""
    if len(found) > 1:
        raise AmbiguousIdError(given, tuple(record.id for record in found))
    if not found:
        raise NotFoundError(f"no {noun} {given!r} is visible here", remedy=remedy)
    return found[0]


def owned(viewer: Viewer, record: Record) -> Record:
    """Return the record; raise ScopeError if the viewer may see it but not change it."""
    if not viewer.may_change(record.scope):
        raise ScopeError(
            f"{record.short_id} is visible here but belongs to another scope ({record.scope})",
            remedy="change it from exactly that scope",
        )
    return record


def scope_for_new(viewer: Viewer, verb: str = "remember") -> Scope:
    """Return the scope of new records; raise ScopeError for an administrator's view."""
    if viewer.everything:
        raise ScopeError(
            f"an administrator's view has no scope to {verb} in", remedy="use memory.scoped(…)"
        )
    return viewer.scope
