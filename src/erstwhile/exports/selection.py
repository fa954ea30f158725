"""The scopes of an export: all of them, a scope with its narrower ones, or one person's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from erstwhile.core.errors import InvalidInputError
from erstwhile.core.ports import Row, Session
from erstwhile.core.scope import DIMENSIONS, Dimensions, Scope
from erstwhile.exports.format import dimensions_of
from erstwhile.exports.tables import statements
from erstwhile.profile.identities import names_of_person
from erstwhile.storage.columns import to_scope
from erstwhile.storage.view import View


class SelectedScope(NamedTuple):
    """A scope of the export: its number in this store, and the length of its audit chain."""

    number: int
    scope: Scope
    entries: int


def named_dimensions(dimensions: Dimensions) -> Dimensions:
    """Refuse a dimension that is None: an unknown user must not become all users."""
    for name, value in dimensions.items():
        if value is None:
            raise InvalidInputError(
                f"{name} is None: this would export every {name}",
                remedy=f"name the {name}; to export all of them on purpose, leave it out",
            )
    return dimensions


def select(view: View, scope: Scope) -> Selection:
    """Select a scope and all narrower ones; of a person, the scopes under all their names.

    An erasure of the same person destroys the same scopes, and the same links of names.
    """
    values: dict[str, tuple[str, ...]] = {
        name: (value,) for name, value in dimensions_of(scope).items()
    }
    if scope.user is not None:
        names, links = names_of_person(view, scope)
        values["user"] = tuple(sorted(names))
        selected = Selection(values)
        return replace(selected, links=tuple(each for each in links if not selected.has(each)))
    return Selection(values)


@dataclass(frozen=True, slots=True)
class Selection:
    """The allowed values of each dimension; a missing dimension is not limited."""

    values: Mapping[str, tuple[str, ...]]
    links: tuple[Row, ...] = ()
    """The links between the names of a person that lie in scopes of others."""

    @property
    def told(self) -> dict[str, list[str]]:
        """The selection as the header of an export tells it."""
        return {name: list(self.values[name]) for name in DIMENSIONS if name in self.values}

    def has(self, link: Row) -> bool:
        """Return whether the scope of a link is selected as a whole."""
        scope = to_scope(*link[1:5])
        return all(getattr(scope, name) in values for name, values in self.values.items())

    def scopes(self, session: Session, dialect: str, space: str) -> list[SelectedScope]:
        """Return the scopes, each wider one before the narrower ones."""
        sql = statements(dialect).filled({"selected": self._condition()})
        rows = session.rows(sql["selected_scopes",], {"space": space, **self._params()})
        return [SelectedScope(id, to_scope(*dims), last) for id, *dims, last in rows]

    def _condition(self) -> str:
        limits = [
            f"s.scope_{name} IN ({', '.join(f':{name}_{n}' for n in range(len(values)))})"
            for name, values in self.values.items()
        ]
        return " AND ".join(["1 = 1", *limits])

    def _params(self) -> dict[str, str]:
        return {
            f"{name}_{number}": value
            for name, values in self.values.items()
            for number, value in enumerate(values)
        }
