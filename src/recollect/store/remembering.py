"""How a statement comes in: as a new fact, as a repeat, or in the place of another.

Everything here runs inside one unit, so a statement that is refused half-way changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from recollect.model.draft import Draft
from recollect.model.errors import InvalidInputError, RefusedError, ScopeError
from recollect.model.fact import Fact
from recollect.model.kinds import Ending, Kind, Trust
from recollect.model.lifecycle import clipped, repeated, retired
from recollect.model.scope import Scope
from recollect.model.text import fingerprint
from recollect.model.time import to_micros
from recollect.store import fact_table
from recollect.store.fact_rows import to_fact
from recollect.store.unit import Unit


def remember(unit: Unit, draft: Draft, reason: str | None = None) -> Fact:
    """Store a draft: a verbatim repeat adds evidence, a new value of a key replaces the old."""
    if unit.viewer.everything:
        raise ScopeError(
            "an administrator's view has no scope to remember in",
            remedy="use memory.scoped(…)",
        )
    twin = find_twin(unit, unit.viewer.scope, draft.kind, draft.text, draft.key)
    if twin is not None:
        return _repeat(unit, twin, draft, reason)
    if draft.key is not None:
        return _set_value(unit, draft, reason)
    fact = draft.to_fact(unit.viewer.scope, unit.now)
    return fact_table.add(unit, fact, action="remember", reason=reason)


def supersede(unit: Unit, old: Fact, draft: Draft, reason: str | None) -> Fact:
    """Put a draft in the place of a fact: both change together, or neither does."""
    _check_precedence(unit, draft, [old])
    twin = find_twin(unit, old.scope, draft.kind, draft.text, draft.key)
    if twin is not None and twin.id != old.id:
        return _supersede_by_twin(unit, old, twin, draft, reason)
    new = draft.to_fact(old.scope, unit.now, supersedes=(old.id,))
    ended = clipped(old, new, unit.now)
    fact_table.change(unit, old, ended, action="supersede", reason=reason)
    return fact_table.add(unit, new, action="replace", reason=reason)


def find_twin(unit: Unit, scope: Scope, kind: Kind, text: str, key: str | None) -> Fact | None:
    """The open fact that says the same in this scope; one whose time ran out is closed first."""
    same = {"scope": unit.scope_id(scope), "kind": kind, "fingerprint": fingerprint(text, key)}
    found = unit.rows("find_twin", same)
    if not found:
        return None
    twin = to_fact(found[0])
    if twin.ends_at is None or twin.ends_at > unit.now:
        return twin
    fact_table.change(unit, twin, retired(twin, Ending.EXPIRED, at=unit.now), action="expire")
    unit.tick()
    return None


def find_values(unit: Unit, scope: Scope, key: str, since: int) -> list[Fact]:
    """The values of a key that are open, or that hold at or after a moment."""
    params = {"scope": unit.scope_id(scope), "key": key, "since": since}
    return [to_fact(row) for row in unit.rows("find_values", params)]


def _repeat(unit: Unit, twin: Fact, draft: Draft, reason: str | None) -> Fact:
    again = repeated(twin, draft, unit.now)
    if again is twin:
        return twin
    return fact_table.change(unit, twin, again, action="repeat", reason=reason)


def _set_value(unit: Unit, draft: Draft, reason: str | None) -> Fact:
    """From its beginning on, the new value is the only one its key has."""
    since = to_micros(draft.valid_from or unit.now)
    values = find_values(unit, unit.viewer.scope, str(draft.key), since)
    _check_precedence(unit, draft, values)
    open_ids = tuple(value.id for value in values if value.retired_at is None)
    new = draft.to_fact(unit.viewer.scope, unit.now, supersedes=open_ids)
    for value in values:
        cut = clipped(value, new, unit.now)
        fact_table.change(unit, value, cut, action="supersede", reason=reason)
    return fact_table.add(unit, new, action="remember", reason=reason)


def _supersede_by_twin(unit: Unit, old: Fact, twin: Fact, draft: Draft, reason: str | None) -> Fact:
    """What should replace the fact is remembered already: point at it."""
    ended = retired(old, Ending.SUPERSEDED, at=unit.now, successor=twin.id)
    fact_table.change(unit, old, ended, action="supersede", reason=reason)
    links = (*twin.supersedes, old.id)
    again = replace(repeated(twin, draft, unit.now), known_from=unit.now, supersedes=links)
    return fact_table.change(unit, twin, again, action="repeat", reason=reason)


def _check_precedence(unit: Unit, draft: Draft, replaced: Sequence[Fact]) -> None:
    if draft.valid_from is not None and draft.valid_from > unit.now:
        raise InvalidInputError(
            "a replacement cannot begin in the future: two answers would hold until then",
            remedy="record it when it is true, or remember it as a fact of its own",
        )
    if not draft.trusted and any(fact.trust is Trust.TRUSTED for fact in replaced):
        raise RefusedError(
            f"what comes from {draft.origin} cannot replace a trusted fact",
            remedy="remember it as a fact of its own, and let someone confirm it",
        )
