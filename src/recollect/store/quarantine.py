"""The quarantine: what came from outside or was held back, and waits for somebody's word."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from recollect.model.errors import ConflictError
from recollect.model.fact import Fact
from recollect.model.held import Held, let_in, to_held
from recollect.model.kinds import Ending, State, Trust
from recollect.model.lifecycle import retired
from recollect.model.page import Page
from recollect.model.text import checked_reason
from recollect.store import fact_changes, fact_table
from recollect.store.access import Access
from recollect.store.facts import Facts
from recollect.store.unit import Unit


class Quarantine:
    """Facts that no answer shows until somebody approves them."""

    def __init__(self, access: Access) -> None:
        self._access = access
        self._facts = Facts(access)

    def list(self, *, limit: int = 20, cursor: str | None = None) -> Page[Held]:
        """What waits, newest first, each with the reason."""
        page = self._facts.list(state=State.QUARANTINED, limit=limit, cursor=cursor)
        return Page(tuple(to_held(fact) for fact in page), page.next)

    def approve(self, id: str, *, reason: str | None = None) -> Fact:
        """Let a fact in: it is confirmed, trusted, and recalled from now on."""
        return self._decide(id, "approve", reason, _approved)

    def reject(self, id: str, *, reason: str | None = None) -> Fact:
        """Retire a fact as wrong. From outside it does not come back; a person may still say it."""
        return self._decide(
            id, "reject", reason, lambda unit, fact: retired(fact, Ending.WRONG, at=unit.now)
        )

    def _decide(
        self, id: str, action: str, reason: str | None, decide: Callable[[Unit, Fact], Fact]
    ) -> Fact:
        why = checked_reason(reason)

        def decided(unit: Unit) -> Fact:
            fact = _held_back(fact_table.find_own(unit, id))
            return fact_table.change(unit, fact, decide(unit, fact), action=action, reason=why)

        return self._access.change(decided)


def _held_back(fact: Fact) -> Fact:
    if fact.trust is not Trust.QUARANTINED:
        raise ConflictError(
            f"{fact.short_id} is not in quarantine", remedy="see what is with `quarantine.list`"
        )
    return fact


def _approved(unit: Unit, fact: Fact) -> Fact:
    return replace(fact_changes.confirm(unit, fact), metadata=let_in(fact.metadata))
