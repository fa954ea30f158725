"""Erase facts that ended, by their age or by filters."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from types import MappingProxyType

from erstwhile.core.errors import InvalidInputError
from erstwhile.core.kinds import State
from erstwhile.core.receipt import Erasure
from erstwhile.core.time import Moment
from erstwhile.facts.fact import Fact
from erstwhile.facts.filters import ContentFilters, candidates, params_on
from erstwhile.facts.table import FACTS
from erstwhile.storage import erasure
from erstwhile.storage.access import Access
from erstwhile.storage.columns import to_scope
from erstwhile.storage.view import View


def purge_retired(
    access: Access,
    older_than: Moment | timedelta | None,
    filters: ContentFilters,
    *,
    preview: bool,
) -> Erasure:
    """Erase the matching facts that ended, or count them."""
    if older_than is None and all(value is None for value in filters.values()):
        raise InvalidInputError(
            "neither an age nor a filter was given",
            remedy="say which facts: older_than='90 days', or a filter such as kind or tag",
        )
    age = timedelta() if older_than is None else older_than
    seen = access.ask(lambda view: _counted(view, erasure.oldest(view, age), filters))
    if preview:
        return seen
    receipt = erasure.erase_old(
        access,
        age,
        find=lambda unit, old: _found(unit, old, filters),
        destroy=FACTS.destroy,
        batch=FACTS.batch,
    )
    return Erasure(scopes=seen.scopes, collections=seen.collections, receipt=receipt)


def _counted(view: View, before: int, filters: ContentFilters) -> Erasure:
    params = {**params_on(view, filters), "before": before}
    rows = view.rows("count_retired", params, State.RETIRED, candidates(params), erasure.own(view))
    counts = {to_scope(*dimensions): count for count, *dimensions in rows}
    total = {"facts": sum(counts.values())} if counts else {}
    return Erasure(scopes=tuple(counts), collections=MappingProxyType(total))


def _found(view: View, old: dict[str, int], filters: ContentFilters) -> Sequence[Fact]:
    params = {**params_on(view, filters), **old}
    choices = (State.RETIRED, candidates(params), erasure.own(view))
    return FACTS.select(view, "find_retired", params, *choices)
