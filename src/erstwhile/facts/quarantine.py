"""The quarantine: facts from outside, or held back by the guard, that wait for approval."""

from __future__ import annotations

from collections.abc import Callable

from erstwhile.core.errors import ConflictError
from erstwhile.core.kinds import Ending, State, Trust
from erstwhile.core.page import Page
from erstwhile.core.text import checked_reason
from erstwhile.facts.approving import approve
from erstwhile.facts.collection import Facts
from erstwhile.facts.fact import Fact
from erstwhile.facts.held import Held, to_held
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
        """Approve a fact: it is confirmed and trusted, and recall finds it from now on.

        A proposal of learning does what it proposed: it becomes the value of its key, and the
        facts that it replaces end. If it only ends facts, the first of them is returned.
        """
        return self._decide(id, reason, approve)

    def reject(self, id: str, *, reason: str | None = None) -> Fact:
        """Retire a fact as wrong. Only a person can state it again, or in close words."""
        return self._decide(id, reason, _reject)

    def _decide(
        self, id: str, reason: str | None, decide: Callable[[Unit, Fact, str | None], Fact]
    ) -> Fact:
        why = checked_reason(reason)

        def decided(unit: Unit) -> Fact:
            fact = FACTS.find_own(unit, id)
            _check_quarantined(fact)
            return decide(unit, fact, why)

        return self._access.change(decided)


def _reject(unit: Unit, fact: Fact, reason: str | None) -> Fact:
    wrong = retired(fact, Ending.WRONG, at=unit.now)
    return FACTS.change(unit, fact, wrong, "reject", reason)


def _check_quarantined(fact: Fact) -> None:
    if fact.trust is not Trust.QUARANTINED:
        raise ConflictError(
            f"{fact.short_id} is not in quarantine",
            remedy="list the quarantine with `quarantine.list`",
        )
