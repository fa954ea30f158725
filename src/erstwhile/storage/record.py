"""The fields that all records have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar

from erstwhile.core.errors import AmbiguousIdError, NotFoundError, ScopeError
from erstwhile.core.ids import short_id
from erstwhile.core.scope import Scope, Viewer

if TYPE_CHECKING:
    from erstwhile.services import Services
    from erstwhile.storage.access import Access


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A record of a scope; `changed_at` is the time of its last change."""

    id: str
    scope: Scope
    created_at: datetime
    changed_at: datetime
    deleted_at: datetime | None = None

    @property
    def short_id(self) -> str:
        return short_id(self.id)


class Identified(Protocol):
    """A dataclass that has an id and belongs to a scope."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def id(self) -> str: ...
    @property
    def short_id(self) -> str: ...
    @property
    def scope(self) -> Scope: ...


Found = TypeVar("Found", bound=Identified)


def the_one(found: Sequence[Found], noun: str, given: str, *, remedy: str) -> Found:
    """Return the only record found; raise an error if there is none or several."""
    if len(found) > 1:
        raise AmbiguousIdError(given, tuple(record.id for record in found))
    if not found:
        raise NotFoundError(f"no {noun} {given!r} is visible here", remedy=remedy)
    return found[0]


def owned(viewer: Viewer, record: Found) -> Found:
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


class Collection:
    """Records of one kind, as one viewer sees them. A collection has no state."""

    def __init__(self, access: Access, services: Services) -> None:
        self._access = access
        self._services = services
