"""Scopes and viewers: who may see a record.

A record is visible if each of its set dimensions equals the dimension of the viewer. A viewer
without a user
sees only records without a user, never the records of all users. Only `Viewer(everything=True)`, an
administrator's explicit choice, sees all.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TypedDict, Unpack

from erstwhile.core.errors import InvalidInputError, RefusedError, ScopeError
from erstwhile.core.public_record import PublicRecord, public_record
from erstwhile.core.text import checked_id, exact_id

DIMENSIONS = ("user", "agent", "project", "session")
EVERYONE = "shared"
"""The name of the scope without dimensions."""


class Dimensions(TypedDict, total=False):
    """The dimensions of a scope as keyword arguments; None is the same as left out."""

    user: str | None
    """Whose memory it is. With None nothing can be learned: a request without a user is no user."""
    agent: str | None
    project: str | None
    session: str | None


def named_dimensions(dimensions: Dimensions, verb: str) -> Dimensions:
    """Refuse a dimension that is None: an unknown user must not become all users."""
    for name, value in dimensions.items():
        if value is None:
            raise InvalidInputError(
                f"{name} is None: this would {verb} every {name}",
                remedy=f"name the {name}; to {verb} all of them on purpose, leave it out",
            )
    return dimensions


@public_record
class Scope(PublicRecord):
    """The owner of a record on each dimension; None means shared."""

    user: str | None = None
    agent: str | None = None
    project: str | None = None
    session: str | None = None

    def __post_init__(self) -> None:
        for name in DIMENSIONS:
            value = getattr(self, name)
            if value is not None:
                exact_id(value, name)

    def narrowed(self, **dimensions: str | None) -> Scope:
        """Return the scope with more dimensions. Raise ScopeError if one would change."""
        added = {name: value for name, value in dimensions.items() if value is not None}
        for name, value in added.items():
            held = getattr(self, name)
            if held is not None and held != value:
                raise ScopeError(
                    f"this memory belongs to {name} {held!r}, not {value!r}",
                    remedy="scope the memory that `open` returned",
                )
        return replace(self, **added)

    def sees(self, other: Scope) -> bool:
        """Return whether a viewer in this scope sees a record of the other scope."""
        pairs = ((getattr(self, name), getattr(other, name)) for name in DIMENSIONS)
        return all(theirs is None or theirs == ours for ours, theirs in pairs)

    def __repr__(self) -> str:
        return f"<Scope {self}>"

    def __str__(self) -> str:
        parts = [f"{name}={getattr(self, name)}" for name in DIMENSIONS if getattr(self, name)]
        return " ".join(parts) or EVERYONE


SHARED = Scope()
AGENTS = "agent/"
"""The prefix of the actor names of agents."""
PERSON_REMEDY = "let a person do it: at the command line, or with a token that has `person`"


def checked_actor(name: str) -> str:
    """Return the name of an actor, which may not look like that of an agent."""
    if checked_id(name, name="actor").startswith(AGENTS):
        raise InvalidInputError(
            f"the name of an actor cannot begin with {AGENTS!r}",
            remedy="leave that out, and pass `person=False`",
        )
    return name


@dataclass(frozen=True, slots=True, kw_only=True)
class Viewer:
    """The reader and writer: a scope, or an administrator over all scopes."""

    scope: Scope = SHARED
    everything: bool = False
    name: str | None = None
    person: bool = True
    """Whether it acts for a person. `agent_policy.py` restricts agents."""
    user_unknown: bool = False
    """Whether `scoped` got `user=None`: everybody would see the facts learned here."""
    within: Scope = SHARED
    """The scope that the caller cannot leave, such as that of a token."""

    def __post_init__(self) -> None:
        if self.name is not None:
            checked_id(self.name, name="actor")

    @property
    def actor(self) -> str:
        """The name of this viewer in the audit trail. It shows whether an agent acted."""
        agent, user = self.scope.agent, self.scope.user
        owner = f"agent:{agent}" if agent else f"user:{user}" if user else "anyone"
        name = self.name or ("administrator" if self.everything else owner)
        return name if self.person else f"{AGENTS}{name}"

    def narrowed(self, **dimensions: Unpack[Dimensions]) -> Viewer:
        """Return the viewer in a narrower scope."""
        scope = self.scope.narrowed(**dimensions)
        unknown = scope.user is None and (self.user_unknown or "user" in dimensions)
        return replace(self, scope=scope, everything=False, user_unknown=unknown)

    def acting_as(self, actor: str | None, *, person: bool) -> Viewer:
        """Return the viewer under a name, or its own. An agent stays an agent."""
        name = self.name if actor is None else checked_actor(actor)
        return replace(self, name=name, person=self.person and person)

    def check_person(self, act: str) -> None:
        """Raise RefusedError if an agent is about to do what only a person may."""
        if not self.person:
            raise RefusedError(
                f"only a person may {act}, and this caller is an agent", remedy=PERSON_REMEDY
            )

    def check_learner(self) -> None:
        """Raise ScopeError if it is not known for whom this viewer learns."""
        if self.user_unknown:
            raise ScopeError(
                "this memory is scoped with user=None: all users would see what it learns",
                remedy="name the user; to learn for everybody on purpose, leave `user` out",
            )

    def may_change(self, owner: Scope) -> bool:
        """Return whether this viewer may change a record of a scope."""
        return self.everything or self.scope == owner


def dimensions_of(scope: Scope) -> dict[str, str]:
    """Return the dimensions that a scope has."""
    return {name: value for name in DIMENSIONS if (value := getattr(scope, name)) is not None}


def scope_params(scope: Scope) -> dict[str, str]:
    """Return the dimensions in their stored form: an unset dimension is the empty text."""
    return {
        "user": scope.user or "",
        "agent": scope.agent or "",
        "project": scope.project or "",
        "session": scope.session or "",
    }


@lru_cache(maxsize=1_024)
def to_scope(user: str, agent: str, project: str, session: str) -> Scope:
    """Return the scope of a stored row. An empty string means shared."""
    return Scope(
        user=user or None, agent=agent or None, project=project or None, session=session or None
    )
