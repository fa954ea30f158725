"""The collection of identities: which names belong to the same person. Nothing is ever guessed."""

from __future__ import annotations

import builtins
from collections.abc import Sequence

from erstwhile.core.errors import ConflictError, NotFoundError, ScopeError
from erstwhile.core.ids import new_id
from erstwhile.core.page import Page, PageRequest
from erstwhile.core.ports import Row
from erstwhile.core.receipt import Receipt
from erstwhile.core.scope import Viewer
from erstwhile.core.text import checked_reason
from erstwhile.core.time import from_micros
from erstwhile.profile.identity import Identity, checked_name, resolved
from erstwhile.storage import erasure
from erstwhile.storage.collection import Collection
from erstwhile.storage.columns import to_scope
from erstwhile.storage.lookup import scope_for_new
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View


class Identities(Collection):
    """Other names of the people whose memory is kept, such as those they have on a channel.

    They tell of all users, so a memory that belongs to one of them cannot see or change them.
    """

    def link(self, alias: str, person: str, *, reason: str | None = None) -> Identity:
        """Say that a name is another name of a person. Linking again is harmless.

        A name that is linked to somebody else, or a circle of names, is a conflict.
        """
        name, whose = checked_name(alias, what="alias"), checked_name(person, what="person")
        why = checked_reason(reason)
        return self._access.change(lambda unit: _link(unit, name, whose, why))

    def unlink(self, alias: str, *, reason: str | None = None) -> None:
        """Take a link back that was made in exactly this scope."""
        name, why = checked_name(alias, what="alias"), checked_reason(reason)
        self._access.change(lambda unit: _unlink(unit, name, why))

    def erase(self, *aliases: str) -> Receipt:
        """Destroy links of exactly this scope, and what the trail says of them. No undo."""
        names = [checked_name(alias, what="alias") for alias in aliases]
        receipt = self._access.change(lambda unit: _erase(unit, names))
        erasure.rewrite(self._access)
        return receipt

    def resolve(self, name: str) -> str:
        """The person whom a name means, over any number of links; without one, the name itself."""
        wanted = checked_name(name, what="name")
        return self._access.ask(lambda view: _resolve(view, wanted))

    def aliases(self, person: str) -> builtins.list[str]:
        """All names that resolve to this one."""
        wanted = checked_name(person, what="person")
        return self._access.ask(lambda view: sorted(_aliases(view, wanted)))

    def list(self, *, limit: int = 50, cursor: str | None = None) -> Page[Identity]:
        """All links, newest first."""
        return self._access.ask(lambda view: _listed(view, limit, cursor))


def _check_that_it_is_nobody_s(viewer: Viewer) -> None:
    if viewer.scope.user is not None or viewer.scope.session is not None:
        raise ScopeError(
            f"a memory scoped to {viewer.scope} cannot see who else is who",
            remedy="use a memory without a user",
        )


def _link(unit: Unit, alias: str, person: str, reason: str | None) -> Identity:
    _check_that_it_is_nobody_s(unit.viewer)
    scope = scope_for_new(unit.viewer, "link names")
    number = unit.scope_id(scope)
    if alias == person or alias == _resolve(unit, person):
        raise ConflictError(f"{person!r} is already another name of {alias!r}, or the same")
    links = _links(unit, alias)
    if others := [link.person for link in links if link.person != person]:
        raise ConflictError(
            f"{alias!r} already is {others[0]!r}",
            remedy=f"unlink {alias!r} first, if that is wrong",
        )
    if links:
        return links[0]
    id = new_id(unit.now)
    row = {"id": id, "scope": number, "alias": alias, "person": person}
    unit.run("add_identity", {**row, "changed_at": unit.stamp})
    unit.record("identity.link", id, scope, reason, [number, alias, person])
    return Identity(id=id, scope=scope, alias=alias, person=person, linked_at=unit.now)


def _unlink(unit: Unit, alias: str, reason: str | None) -> None:
    link = _own_link(unit, alias)
    unit.run("remove_identity", {"id": link.id})
    unit.record("identity.unlink", link.id, link.scope, reason)


def _erase(unit: Unit, aliases: Sequence[str]) -> Receipt:
    emptied, ids = 0, []
    for alias in aliases:
        link = _own_link(unit, alias)
        unit.run("remove_identity", {"id": link.id})
        emptied += erasure.forget(unit, link.id, link.scope)
        ids.append(link.id)
    return Receipt(at=unit.now, ids=tuple(ids), identities=len(ids), audit_entries=emptied)


def _own_link(unit: Unit, alias: str) -> Identity:
    _check_that_it_is_nobody_s(unit.viewer)
    scope = scope_for_new(unit.viewer, "link names")
    unit.scope_id(scope)
    own = [link for link in _links(unit, alias) if link.scope == scope]
    if not own:
        raise NotFoundError(
            f"{alias!r} was not linked in exactly this scope", remedy="see `identities.list`"
        )
    return own[0]


def _resolve(view: View, name: str) -> str:
    _check_that_it_is_nobody_s(view.viewer)
    return resolved(name, lambda each: [link.person for link in _links(view, each)])


def _aliases(view: View, person: str) -> set[str]:
    _check_that_it_is_nobody_s(view.viewer)
    found: set[str] = set()
    waiting = [person]
    while waiting:
        rows = view.rows("find_aliases", {"person": waiting.pop()})
        new = {row[0] for row in rows} - found
        found |= new
        waiting += new
    return found


def _links(view: View, alias: str) -> builtins.list[Identity]:
    return [_identity(row) for row in view.rows("find_links", {"alias": alias})]


def _listed(view: View, limit: int, cursor: str | None) -> Page[Identity]:
    _check_that_it_is_nobody_s(view.viewer)
    request = PageRequest(limit, cursor)
    rows = view.rows("list_identities", request.params)
    return request.page([_identity(row) for row in rows])


def _identity(row: Row) -> Identity:
    id, *dimensions, alias, person, changed_at = row
    return Identity(
        id=id,
        scope=to_scope(*dimensions),
        alias=alias,
        person=person,
        linked_at=from_micros(changed_at),
    )
