"""Entities: the people and things mentioned by facts, and their links."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable

from erstwhile.core.errors import ConflictError, NotFoundError
from erstwhile.core.kinds import State
from erstwhile.core.public_record import PublicRecord, public_record
from erstwhile.core.results import Page, checked_limit
from erstwhile.core.text import checked_id, checked_name, checked_reason, folded
from erstwhile.core.time import Moment
from erstwhile.facts.fact import Fact, to_fact
from erstwhile.facts.queries import params_on
from erstwhile.storage.record import Collection
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View

CO_OCCURS = "co_occurs"


@public_record
class Entity(PublicRecord):
    """A name that live facts mention, with its other names and how many facts mention it."""

    name: str
    aliases: tuple[str, ...]
    mentions: int


@public_record
class Neighbour(PublicRecord):
    """Another entity, how it is linked to this one, and the facts that say so."""

    name: str
    relation: str
    outgoing: bool
    facts: tuple[str, ...]


@public_record
class EntityCard(PublicRecord):
    """An entity with its facts and neighbours, at one moment."""

    entity: Entity
    facts: tuple[Fact, ...]
    neighbours: tuple[Neighbour, ...]


_MAX_CURSOR = 10_000


class Entities(Collection):
    """Entities that live, visible facts mention."""

    def list(
        self,
        *,
        limit: int = 50,
        cursor: str | None = None,
        as_of: Moment | None = None,
        known_at: Moment | None = None,
    ) -> Page[Entity]:
        """Return a page of entities by name, with the number of live facts that mention each."""
        after = "" if cursor is None else checked_id(cursor, name="cursor", limit=_MAX_CURSOR)
        wanted = {"after": after, "limit": checked_limit(limit) + 1}

        def page(view: View) -> Page[Entity]:
            rows = view.rows("list_entities", wanted, State.LIVE)
            entities = [_entity(view, row[2], row[1]) for row in rows[:limit]]
            return Page(tuple(entities), rows[limit - 1][2] if len(rows) > limit else None)

        return self._access.ask(page, as_of, known_at)

    def get(
        self,
        name: str,
        *,
        limit: int = 20,
        as_of: Moment | None = None,
        known_at: Moment | None = None,
    ) -> EntityCard:
        """Return one entity by its name or an alias, with its newest facts and its neighbours."""
        label, wanted = folded(checked_name(name, name="name")), checked_limit(limit)

        def found(view: View) -> EntityCard:
            about = params_on(view, {"entity": name})
            mentions = int(view.rows("count_facts", about, State.LIVE, "naming")[0][0])
            if not mentions:
                raise NotFoundError(
                    f"no live fact here mentions {name!r}", remedy="see `entities.list`"
                )
            newest = {"before": "g", "limit": wanted}
            rows = view.rows("list_facts", {**about, **newest}, State.LIVE, "naming")
            return EntityCard(
                entity=_entity(view, label, mentions),
                facts=tuple(to_fact(row) for row in rows),
                neighbours=tuple(_neighbours(view, label)[:wanted]),
            )

        return self._access.ask(found, as_of, known_at)

    def add_alias(self, name: str, *aliases: str, reason: str | None = None) -> None:
        """Add names to an entity of this scope; raise ConflictError if another entity has one."""
        self._change_aliases(_add_alias, name, aliases, reason)

    def remove_alias(self, name: str, *aliases: str, reason: str | None = None) -> None:
        """Remove other names of an entity; its own name stays."""
        self._change_aliases(_remove_alias, name, aliases, reason)

    def _change_aliases(
        self,
        change: Callable[[Unit, int, str, str, str | None], None],
        name: str,
        aliases: Iterable[str],
        reason: str | None,
    ) -> None:
        """Change aliases of an entity that facts of exactly this scope mention."""
        label = folded(checked_name(name, name="name"))
        checked = [checked_name(alias, name="alias") for alias in aliases]
        why = checked_reason(reason)

        def changed(unit: Unit) -> None:
            scope = unit.scope_id(unit.viewer.scope)
            found = unit.rows("find_entity", {"scope": scope, "folded": label})
            if not found:
                raise NotFoundError(f"no fact of exactly this scope mentions {label!r}")
            for alias in checked:
                change(unit, scope, found[0][0], alias, why)
                unit.tick()

        self._access.change(changed)


def _entity(view: View, label: str, mentions: int) -> Entity:
    rows = view.rows("find_names", {"folded": label})
    own = sorted({row[1] for row in rows})
    aliases = sorted({row[2] for row in rows} - set(own))
    return Entity(name=own[0], aliases=tuple(own[1:] + aliases), mentions=mentions)


def _neighbours(view: View, label: str) -> builtins.list[Neighbour]:
    """Return typed relations first, then entities mentioned together; the most frequent first."""
    wanted = {"folded": label, "limit": 1_000}
    typed = [
        ((name, predicate, way == "outgoing"), fact)
        for way in ("outgoing", "incoming")
        for predicate, name, fact in view.rows("related", wanted, State.LIVE, way)
    ]
    linked = {name for (name, _, _), _ in typed}
    together = [
        ((name, CO_OCCURS, True), fact)
        for name, fact in view.rows("co_occurring", wanted, State.LIVE)
        if name not in linked
    ]
    return [*_by_frequency(typed), *_by_frequency(together)]


def _by_frequency(edges: Iterable[tuple[tuple[str, str, bool], str]]) -> builtins.list[Neighbour]:
    facts: dict[tuple[str, str, bool], dict[str, None]] = {}
    for edge, fact in edges:
        facts.setdefault(edge, {})[fact] = None
    found = [
        Neighbour(name=name, relation=relation, outgoing=outgoing, facts=tuple(ids))
        for (name, relation, outgoing), ids in facts.items()
    ]
    return sorted(found, key=lambda neighbour: (-len(neighbour.facts), neighbour.name))


def _add_alias(unit: Unit, scope: int, entity: str, alias: str, reason: str | None) -> None:
    label = {"scope": scope, "folded": folded(alias)}
    taken = unit.rows("find_entity", label)
    if taken and taken[0][0] != entity:
        raise ConflictError(
            f"{alias!r} already names another entity", remedy="use one name in new facts"
        )
    if not taken:
        unit.admit([alias])
        unit.execute_async("add_name", {**label, "entity": entity, "name": alias})
        unit.record("alias", entity, unit.viewer.scope, reason, [alias])


def _remove_alias(unit: Unit, scope: int, entity: str, alias: str, reason: str | None) -> None:
    label = folded(alias)
    if not unit.run("remove_alias", {"scope": scope, "folded": label, "entity": entity}):
        raise NotFoundError(f"{label!r} is not an alias of it")
    unit.record("unalias", entity, unit.viewer.scope, reason, [label])
