"""Who is the same person: names that lead to other names, and at last to the person's own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from erstwhile.core.errors import ConflictError, InvalidInputError
from erstwhile.core.scope import Scope
from erstwhile.core.text import checked_id


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """One link: `alias` is another name of `person`, which may itself be an alias."""

    id: str
    scope: Scope
    alias: str
    person: str
    linked_at: datetime


def checked_name(name: str, *, what: str) -> str:
    """A name as it stands in the scope of a memory: exact, letter by letter."""
    if checked_id(name, name=what) != name:
        raise InvalidInputError(
            f"{what} begins or ends with a space: {name!r}", remedy="remove the space"
        )
    return name


def resolved(name: str, links: Callable[[str], Sequence[str]]) -> str:
    """Follow the links of a name to the end. Two ways from one name are an error, not a choice."""
    seen = [name]
    while people := sorted(set(links(seen[-1]))):
        if len(people) > 1:
            raise ConflictError(
                f"{seen[-1]!r} is linked to {' and to '.join(map(repr, people))}",
                remedy="unlink it in one of the scopes that say so",
            )
        if people[0] in seen:
            raise ConflictError(
                f"{seen[-1]!r} leads back to itself", remedy="unlink one of the names on the way"
            )
        seen.append(people[0])
    return seen[-1]
