"""The collection `memory.usage`: calls of models, their tokens and their cost."""

from __future__ import annotations

import builtins
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from erstwhile.core.errors import InvalidInputError
from erstwhile.core.kinds import choice
from erstwhile.core.ports import Params, Row, Tokens
from erstwhile.core.results import Page
from erstwhile.core.scope import SHARED
from erstwhile.core.text import checked_id, checked_label, folded
from erstwhile.core.time import EPOCH, Moment, past_moment
from erstwhile.storage.access import Access
from erstwhile.storage.columns import Codec, RowType
from erstwhile.storage.record import RecordCollection
from erstwhile.storage.table import RecordTable, new_head
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View
from erstwhile.usage.prices import (
    Price,
    UsageEntry,
    UsagePeriod,
    UsageSummary,
    checked_cost,
    in_dollars,
    in_nanos,
    to_price,
)

if TYPE_CHECKING:
    from erstwhile.services import Services


OWN_SESSION = "erstwhile"
"""The session of the calls that Erstwhile itself makes."""


class UsageTable(RecordTable[UsageEntry]):
    """The table of calls of models."""

    noun = "usage"
    judged = False
    name = "usage"
    row_type = RowType(
        UsageEntry,
        "usage",
        names={"session": "of_session"},
        codecs={"cost": Codec(in_nanos, in_dollars)},
    )


CALLS = UsageTable()


class Usage(RecordCollection[UsageEntry], noun="call"):
    """Calls of models, with tokens and dollars. An unknown cost is None, never zero."""

    _table = CALLS

    def record(
        self,
        model: str,
        *,
        input: int = 0,
        output: int = 0,
        cache_read: int = 0,
        cache_write: int = 0,
        session: str | None = None,
        cost: Decimal | int | str | None = None,
        price: Price | Mapping[str, Any] | None = None,
        at: Moment | None = None,
    ) -> UsageEntry:
        """Record one call of a model. The four token counts do not overlap.

        The cost is `cost` if given, else it follows from `price`, else from the price table.
        `session` is the session of the scope by default.
        """
        name = checked_label(model, name="model")
        tokens = Tokens(input=input, output=output, cache_read=cache_read, cache_write=cache_write)
        if cost is not None and price is not None:
            raise InvalidInputError("both cost and price are given", remedy="give one of them")
        if cost is None:
            known = self.price(name) if price is None else to_price(name, price)
            cost = None if known is None else known.cost(tokens)
        # A cost is rounded to whole nano-dollars.
        dollars = None if cost is None else in_dollars(in_nanos(checked_cost(cost)))
        of_session = None if session is None else checked_id(session, name="session")
        return self._access.change(
            lambda unit: add_entry(unit, name, tokens, dollars, of_session, at)
        )

    def price(self, model: str) -> Price | None:
        """Return the price of a model from the price table, or None if it is unknown."""
        return self._services.prices().find(model)

    def list(
        self,
        *,
        model: str | None = None,
        session: str | None = None,
        since: Moment | None = None,
        until: Moment | None = None,
        deleted: bool = False,
        limit: int = 20,
        cursor: str | None = None,
    ) -> Page[UsageEntry]:
        """List calls, the last recorded first; `since` and `until` limit the time of the call."""

        def filters(view: View) -> Params:
            return _filters(view, model, session, since, until)

        return CALLS.page(self._access, filters, deleted=deleted, limit=limit, cursor=cursor)

    def delete(self, id: str, *, reason: str | None = None) -> UsageEntry:
        """Hide a call from lists and sums, until it is restored or purged."""
        return super().delete(id, reason=reason)

    def summary(
        self,
        by: UsagePeriod | str | None = None,
        *,
        model: str | None = None,
        session: str | None = None,
        since: Moment | None = None,
        until: Moment | None = None,
    ) -> builtins.list[UsageSummary]:
        """Sum up calls by day (UTC), by model or by session; without `by`, return one total."""
        split = "all" if by is None else choice(UsagePeriod, by, name="period")
        rows = self._access.ask(
            lambda view: view.rows("sum_usage", _filters(view, model, session, since, until), split)
        )
        sums = [_summary(row, split) for row in rows]
        if by is None and not sums:
            return [UsageSummary()]
        return sorted(sums, key=lambda each: each.of or "")


def add_entry(
    unit: Unit,
    model: str,
    tokens: Tokens,
    cost: Decimal | None,
    session: str | None = None,
    at: Moment | None = None,
) -> UsageEntry:
    """Store one call of a model inside an open transaction."""
    entry = UsageEntry(
        model=folded(model),
        session=session or unit.viewer.scope.session,
        at=past_moment(at, now=unit.now, name="at"),
        cost=cost,
        **asdict(tokens),
        **new_head(unit),
    )
    return CALLS.add(unit, entry, "record")


def _filters(
    view: View,
    model: str | None,
    session: str | None,
    since: Moment | None,
    until: Moment | None,
) -> Params:
    return {
        "model": None if model is None else folded(checked_label(model, name="model")),
        "of_session": None if session is None else checked_id(session, name="session"),
        **view.period(since, until),
    }


def _summary(row: Row, split: str) -> UsageSummary:
    of, *sums, cost, unpriced = row
    if split == UsagePeriod.DAY:
        of = (EPOCH + timedelta(days=of)).date().isoformat()
    names = ("calls", "input", "output", "cache_read", "cache_write")
    return UsageSummary(
        of=of,
        **dict(zip(names, map(int, sums), strict=True)),
        cost=None if cost is None else in_dollars(int(cost)),
        unpriced=int(unpriced),
    )


@dataclass(frozen=True, slots=True)
class SpendingBudget:
    """The daily limit on language model calls, and the record of each call."""

    access: Access
    services: Services

    def reached_limit(self) -> str:
        """Return the limit reached today; an empty text without one."""
        return self.services.daily_limit.reached(spent_today(self.access, self.services))

    def cost_of(self, model: str, tokens: Tokens) -> Decimal | None:
        """Return the cost in dollars, or None if the price is unknown."""
        price = self.services.prices().find(model)
        return None if price is None else price.cost(tokens)

    def record(self, model: str, tokens: Tokens) -> None:
        """Record a call in a transaction of its own."""
        cost = self.cost_of(model, tokens)
        self.access.change(lambda unit: record_call(unit, model, tokens, cost))


def spent_today(access: Access, services: Services) -> UsageSummary:
    """Return the spending since midnight UTC in all scopes."""
    everywhere = replace(access.viewer, scope=SHARED, everything=True)
    return visible_today(access.seen_by(everywhere), services)


def visible_today(access: Access, services: Services) -> UsageSummary:
    """Return the spending since midnight UTC in the visible scopes."""
    midnight = access.clock.now().replace(hour=0, minute=0, second=0, microsecond=0)
    [spent] = Usage(access, services).summary(session=OWN_SESSION, since=midnight)
    return spent


def record_call(unit: Unit, model: str, tokens: Tokens, cost: Decimal | None) -> None:
    """Record a call inside an open transaction."""
    add_entry(unit, model, tokens, cost, OWN_SESSION)
