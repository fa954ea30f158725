"""The collections of a memory, each imported and created on first use.

A process that uses one collection loads only this collection, and a view of a scope is cheap.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Generic, TypeVar, cast, overload

from erstwhile.storage.record import Collection

if TYPE_CHECKING:
    from typing import Self

    from erstwhile.blocks.collection import Blocks
    from erstwhile.context.build import ContextBuilder
    from erstwhile.conversations.collection import Conversations
    from erstwhile.conversations.sessions import Sessions
    from erstwhile.decisions.collection import Decisions
    from erstwhile.facts.collection import Facts
    from erstwhile.facts.conflicts import Conflicts
    from erstwhile.facts.entities import Entities
    from erstwhile.facts.quarantine import Quarantine
    from erstwhile.learning.collection import Learning
    from erstwhile.learning.consolidation.collection import Consolidations
    from erstwhile.learning.observe import Observer
    from erstwhile.operations.erase import Eraser
    from erstwhile.operations.maintain import Maintainer
    from erstwhile.operations.snapshots import Snapshots
    from erstwhile.profile.collection import Onboarding, Profile
    from erstwhile.profile.identities import Identities
    from erstwhile.records.lessons import Lessons
    from erstwhile.records.limitations import Limitations
    from erstwhile.records.observations import Observations
    from erstwhile.records.outcomes import Outcomes
    from erstwhile.storage.audit import Audit
    from erstwhile.tasks.checkpoints import Checkpoints
    from erstwhile.tasks.collection import Tasks
    from erstwhile.usage.collection import Usage


Held = TypeVar("Held")


class Lazy(Generic[Held]):
    """A part of a memory that is imported and created on first use.

    By default, the name of its class is the name of the attribute with a capital letter.
    """

    def __init__(self, module: str, kind: str = "") -> None:
        self.module = f"erstwhile.{module}"
        self._kind = kind

    def __set_name__(self, owner: type[Collection], name: str) -> None:
        self._name = name
        self._kind = self._kind or name.capitalize()

    @property
    def kind(self) -> type[Collection]:
        """The class of the part, which is imported now."""
        return cast("type[Collection]", getattr(import_module(self.module), self._kind))

    @overload
    def __get__(self, memory: None, owner: type[Collection]) -> Self: ...
    @overload
    def __get__(self, memory: LazyCollections, owner: type[Collection]) -> Held: ...
    def __get__(self, memory: LazyCollections | None, owner: type[Collection]) -> Self | Held:
        if memory is None:
            return self
        # If two threads create it at the same time, both get the object that was stored first.
        held: Held = memory.__dict__.setdefault(self._name, memory._create(self.kind))  # noqa: SLF001
        return held


class LazyCollections(Collection):
    """The collections of a memory, seen from one scope."""

    facts: Lazy[Facts] = Lazy("facts.collection")
    entities: Lazy[Entities] = Lazy("facts.entities")
    quarantine: Lazy[Quarantine] = Lazy("facts.quarantine")
    conflicts: Lazy[Conflicts] = Lazy("facts.conflicts")
    blocks: Lazy[Blocks] = Lazy("blocks.collection")
    snapshots: Lazy[Snapshots] = Lazy("operations.snapshots")
    decisions: Lazy[Decisions] = Lazy("decisions.collection")
    conversations: Lazy[Conversations] = Lazy("conversations.collection")
    sessions: Lazy[Sessions] = Lazy("conversations.sessions")
    learning: Lazy[Learning] = Lazy("learning.collection")
    consolidations: Lazy[Consolidations] = Lazy("learning.consolidation.collection")
    tasks: Lazy[Tasks] = Lazy("tasks.collection")
    checkpoints: Lazy[Checkpoints] = Lazy("tasks.checkpoints")
    outcomes: Lazy[Outcomes] = Lazy("records.outcomes")
    lessons: Lazy[Lessons] = Lazy("records.lessons")
    observations: Lazy[Observations] = Lazy("records.observations")
    limitations: Lazy[Limitations] = Lazy("records.limitations")
    usage: Lazy[Usage] = Lazy("usage.collection")
    profile: Lazy[Profile] = Lazy("profile.collection")
    onboarding: Lazy[Onboarding] = Lazy("profile.collection")
    identities: Lazy[Identities] = Lazy("profile.identities")
    audit: Lazy[Audit] = Lazy("storage.audit")
    _context_builder: Lazy[ContextBuilder] = Lazy("context.build", "ContextBuilder")
    _observer: Lazy[Observer] = Lazy("learning.observe", "Observer")
    _eraser: Lazy[Eraser] = Lazy("operations.erase", "Eraser")
    _maintainer: Lazy[Maintainer] = Lazy("operations.maintain", "Maintainer")

    def _create(self, kind: type[Collection]) -> Collection:
        return kind(self._access, self._services)
