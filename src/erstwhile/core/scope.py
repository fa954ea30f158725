"""Who may see a record.

A record is visible when each dimension that is set on it equals the reader's. A reader that leaves
a dimension unset sees only what is shared on it: leaving out the user never shows everybody's
memory. Only `Viewer(everything=True)`, an administrator's explicit choice, sees all.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from erstwhile.core.errors import InvalidInputError, ScopeError
from erstwhile.core.text import checked_id

DIMENSIONS = ("user", "agent", "project", "session")


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """The owner of a record on each dimension; None means shared."""

    user: str | None = None
    agent: str | None = None
    project: str | None = None
    session: str | None = None

    def __post_init__(self) -> None:
        for name in DIMENSIONS:
            value = getattr(self, name)
            if value is not None and checked_id(value, name=name) != value:
                raise InvalidInputError(
                    f"{name} begins or ends with a space: {value!r}", remedy="remove the space"
                )

    def narrowed(self, **dimensions: str | None) -> Scope:
        """This scope with more dimensions set; one that is set stays as it is."""
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
        """Whether a reader in this scope sees a record of the other."""
        pairs = ((getattr(self, name), getattr(other, name)) for name in DIMENSIONS)
        return all(theirs is None or theirs == ours for ours, theirs in pairs)

    def __str__(self) -> str:
        parts = [f"{name}={getattr(self, name)}" for name in DIMENSIONS if getattr(self, name)]
        return " ".join(parts) or "shared"


SHARED = Scope()


@dataclass(frozen=True, slots=True, kw_only=True)
class Viewer:
    """Who reads and writes: a scope, or an administrator over all of them."""

    scope: Scope = SHARED
    everything: bool = False
    name: str | None = None

    def __post_init__(self) -> None:
        if self.name is not None:
            checked_id(self.name, name="actor")

    @property
    def actor(self) -> str:
        """The name that the audit trail gives to what this viewer does."""
        if self.name:
            return self.name
        if self.everything:
            return "administrator"
        if self.scope.agent:
            return f"agent:{self.scope.agent}"
        return f"user:{self.scope.user}" if self.scope.user else "anyone"

    def may_change(self, owner: Scope) -> bool:
        return self.everything or self.scope == owner


def scope_params(scope: Scope) -> dict[str, str]:
    """Return the dimensions as they are stored: a shared one is the empty text."""
    return {
        "user": scope.user or "",
        "agent": scope.agent or "",
        "project": scope.project or "",
        "session": scope.session or "",
    }
