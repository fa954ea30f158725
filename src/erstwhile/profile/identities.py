"""The collection `memory.identities`: which names belong to the same person.

A link says that one name is an alias of another. Links can form chains, and are never guessed.
"""

from __future__ import annotations

import builtins
from dataclasses import replace
from datetime import datetime

from erstwhile.core.errors import ConflictError, NotFoundError, ScopeError
from erstwhile.core.ids import new_id
from erstwhile.core.ports import Row
from erstwhile.core.public_record import public_record
from erstwhile.core.results import Page, PageRequest, Receipt
from erstwhile.core.scope import Scope, Viewer, scope_params
from erstwhile.core.text import check_segment, checked_reason, exact_id
from erstwhile.storage import erasure
from erstwhile.storage.columns import RowType
from erstwhile.storage.record import Collection, IdRecord, scope_for_new
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View


@public_record
class Identity(IdRecord):
    """One link: `alias` is another name of `person`, which may itself be an alias."""

    _shown = ("short_id", "alias", "person")
    id: str
    scope: Scope
    alias: str
    person: str
    linked_at: datetime


class Identities(Collection):
    """Other names of the people whose memory is stored, such as their names on a channel.

    Links concern all users, so a memory scoped to one user cannot see or change them.
    """

    def link(self, alias: str, person: str, *, reason: str | None = None) -> Identity:
        """Link an alias to a person. Linking again changes nothing.

        Raise ConflictError if the alias is linked to another person, or if names form a cycle.
        """
        names = exact_id(alias, "alias"), check_segment(exact_id(person, "person"), "person")
        why = checked_reason(reason)
        return self._access.change(lambda unit: link_names(unit, *names, why))

    def unlink(self, alias: str, *, reason: str | None = None) -> None:
        """Remove a link that was made in exactly this scope."""
        name, why = exact_id(alias, "alias"), checked_reason(reason)

        def unlink(unit: Unit) -> None:
            link = _own_link(unit, name)
            unit.run("remove_identity", {"id": link.id})
            unit.record("identity.unlink", link.id, link.scope, why)

        self._access.change(unlink)

    def erase(self, *aliases: str) -> Receipt:
        """Destroy links of exactly this scope and their audit entries. There is no undo."""
        return erasure.erase(
            self._access,
            [exact_id(alias, "alias") for alias in aliases],
            noun="alias",
            find=lambda unit, alias: [_own_link(unit, alias)],
            destroy=erasure.destroyer("identities"),
            by_id=False,
        )

    def resolve(self, name: str) -> str:
        """Follow the links of a name to the person; without a link, return the name itself."""
        checked = exact_id(name, "name")
        return self._access.ask(lambda view: _resolve(view, checked))

    def aliases(self, person: str) -> builtins.list[str]:
        """Return all names that resolve to this person."""
        checked = exact_id(person, "person")
        return self._access.ask(lambda view: sorted(_aliases(view, checked)))

    def list(self, *, limit: int = 50, cursor: str | None = None) -> Page[Identity]:
        """List links, newest first."""
        request = PageRequest(limit, cursor)

        def page(view: View) -> Page[Identity]:
            _check_no_user(view.viewer)
            rows = view.rows("list_identities", request.params)
            return request.page([_to_identity(row) for row in rows])

        return self._access.ask(page)


def _check_no_user(viewer: Viewer) -> None:
    """Raise ScopeError if the memory belongs to one user."""
    if viewer.scope.user is not None or viewer.scope.session is not None:
        raise ScopeError(
            f"a memory scoped to {viewer.scope} cannot see the names of other people",
            remedy="use a memory without a user",
        )


def link_names(unit: Unit, alias: str, person: str, reason: str | None) -> Identity:
    """Link an alias to a person in the scope of the unit's viewer."""
    _check_no_user(unit.viewer)
    scope = scope_for_new(unit.viewer, "link names")
    number = unit.scope_id(scope)
    if alias == person or alias == _resolve(unit, person):
        raise ConflictError(f"{person!r} is already another name of {alias!r}, or the same")
    links = _links(unit, alias)
    if others := [link.person for link in links if link.person != person]:
        raise ConflictError(
            f"{alias!r} is already linked to {others[0]!r}",
            remedy=f"unlink {alias!r} first, if that link is wrong",
        )
    if links:
        return links[0]
    id = new_id(unit.now)
    row = {"id": id, "scope": number, "alias": alias, "person": person}
    unit.run("add_identity", {**row, "changed_at": unit.stamp})
    unit.record("identity.link", id, scope, reason, [alias, person])
    return Identity(id=id, scope=scope, alias=alias, person=person, linked_at=unit.now)


def _own_link(unit: Unit, alias: str) -> Identity:
    """Return the link of an alias in exactly this scope, or raise NotFoundError."""
    _check_no_user(unit.viewer)
    scope = scope_for_new(unit.viewer, "link names")
    unit.scope_id(scope)
    own = [link for link in _links(unit, alias) if link.scope == scope]
    if not own:
        raise NotFoundError(
            f"{alias!r} was not linked in exactly this scope", remedy="see `identities.list`"
        )
    return own[0]


def _resolve(view: View, name: str) -> str:
    """Follow the links of a name to the end. Raise ConflictError if a name has two links."""
    _check_no_user(view.viewer)
    seen = [name]
    while people := sorted({link.person for link in _links(view, seen[-1])}):
        if len(people) > 1:
            raise ConflictError(
                f"{seen[-1]!r} is linked to {' and to '.join(map(repr, people))}",
                remedy="unlink it in one of these scopes",
            )
        if people[0] in seen:
            raise ConflictError(
                f"{seen[-1]!r} is an alias of itself", remedy="unlink one of the names in the cycle"
            )
        seen.append(people[0])
    return seen[-1]


def _aliases(view: View, person: str) -> set[str]:
    _check_no_user(view.viewer)
    names = [person]
    for name in names:  # it grows meanwhile
        aliases = (alias for (alias, *_) in view.rows("find_aliases", {"person": name}))
        names += [alias for alias in aliases if alias not in names]
    return set(names[1:])


def names_of_person(view: View, scope: Scope) -> tuple[builtins.list[str], builtins.list[Row]]:
    """Return all names of the user of a scope, and the row of each link between them.

    Only links that were made within the other dimensions of the scope count. Raise ConflictError
    if the user's name is itself an alias.
    """
    user = str(scope.user)
    names, links = [user], dict[str, Row]()
    within = scope_params(replace(scope, user=None))
    for name in names:  # it grows meanwhile
        for row in view.rows("links_of_name", {**within, "name": name}, "narrower"):
            link = _to_identity(row)
            if link.alias == user:
                raise ConflictError(
                    f"{user!r} is another name of {link.person!r}", remedy="give that name"
                )
            links[link.id] = row
            if link.person == name and link.alias not in names:
                names.append(link.alias)
    return names, list(links.values())


def _links(view: View, alias: str) -> builtins.list[Identity]:
    return [_to_identity(row) for row in view.rows("find_links", {"alias": alias})]


_to_identity = RowType(Identity, "identity").decode
