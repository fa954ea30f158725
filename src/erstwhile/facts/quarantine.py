"""The quarantine: facts from outside, or held back by the guard, that wait for approval."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from erstwhile.core.errors import ConflictError
from erstwhile.core.kinds import Ending, State, Trust
from erstwhile.core.page import Page
from erstwhile.facts import changes
from erstwhile.facts.collection import Facts
from erstwhile.facts.fact import Fact
from erstwhile.facts.lifecycle import retired
from erstwhile.facts.table import FACTS
from erstwhile.storage.collection import Collection
from erstwhile.storage.unit import Unit

_HELD = "held"
"""The key of the metadata that says why a fact is held back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A fact in quarantine, with the reason."""

    fact: Fact
    reason: str
    rule: str
    """The rule of the guard that held it, or its origin, such as "origin/web"."""

    @property
    def id(self) -> str:
        return self.fact.id


class Quarantine(Collection):
    """Facts that no answer shows until a person approves them."""

    def list(self, *, limit: int = 20, cursor: str | None = None) -> Page[Held]:
        """Return a page of the facts in quarantine, newest first, each with the reason."""
        facts = Facts(self._access, self._services)
        page = facts.list(state=State.QUARANTINED, limit=limit, cursor=cursor)
        return Page(tuple(to_held(fact) for fact in page), page.next)

    def approve(self, id: str, *, reason: str | None = None) -> Fact:
        """Approve a fact: it is confirmed and trusted, and recall finds it from now on."""
        return self._decide(id, "approve", reason, _approved)

    def reject(self, id: str, *, reason: str | None = None) -> Fact:
        """Retire a fact as wrong. Only a person can state it again."""
        return self._decide(
            id, "reject", reason, lambda unit, fact: retired(fact, Ending.WRONG, at=unit.now)
        )

    def _decide(
        self, id: str, action: str, reason: str | None, decide: Callable[[Unit, Fact], Fact]
    ) -> Fact:
        def decided(unit: Unit, fact: Fact) -> Fact:
            _check_quarantined(fact)
            return decide(unit, fact)

        return FACTS.edit(self._access, id, action, reason, decided)


def _check_quarantined(fact: Fact) -> None:
    if fact.trust is not Trust.QUARANTINED:
        raise ConflictError(
            f"{fact.short_id} is not in quarantine", remedy="see what is with `quarantine.list`"
        )


def _approved(unit: Unit, fact: Fact) -> Fact:
    return replace(changes.confirm(unit, fact), metadata=let_in(fact.metadata))


def held_because(rule: str, reason: str) -> dict[str, Any]:
    """Return the metadata that mark a fact as held back."""
    return {_HELD: {"rule": rule, "reason": reason}}


def to_held(fact: Fact) -> Held:
    """Return the fact with the reason from its metadata, or else with its origin."""
    held = fact.metadata.get(_HELD)
    if isinstance(held, Mapping) and {"rule", "reason"} <= held.keys():
        return Held(fact=fact, reason=str(held["reason"]), rule=str(held["rule"]))
    return Held(fact=fact, reason=f"it came from {fact.origin}", rule=f"origin/{fact.origin}")


def let_in(metadata: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the metadata without the mark of `held_because`."""
    return {name: value for name, value in metadata.items() if name != _HELD}
