"""The quarantine: facts from outside, or held back by the guard, that wait for approval."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from erstwhile.core.errors import ConflictError
from erstwhile.core.kinds import Ending, State, Trust
from erstwhile.core.page import Page
from erstwhile.facts import changes
from erstwhile.facts.collection import Facts
from erstwhile.facts.fact import Fact
from erstwhile.facts.held import Held, let_in, to_held
from erstwhile.facts.lifecycle import retired
from erstwhile.facts.table import FACTS
from erstwhile.storage.collection import Collection
from erstwhile.storage.unit import Unit


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
        """Retire a fact as wrong. Only a person can state it again, or in close words."""
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
            f"{fact.short_id} is not in quarantine",
            remedy="list the quarantine with `quarantine.list`",
        )


def _approved(unit: Unit, fact: Fact) -> Fact:
    return replace(changes.confirm(unit, fact), metadata=let_in(fact.metadata))
