"""How a statement comes in: as a new fact, as a repeat, or in the place of another.

Everything here runs inside one unit, so a statement that is refused half-way changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from erstwhile.core.errors import ConflictError, InvalidInputError, RefusedError
from erstwhile.core.kinds import Ending, Kind, Trust
from erstwhile.core.scope import Scope
from erstwhile.core.text import fingerprint
from erstwhile.core.time import to_micros
from erstwhile.facts.draft import Draft
from erstwhile.facts.fact import Fact
from erstwhile.facts.lifecycle import clipped, overlapping, repeated, retired
from erstwhile.facts.rows import to_fact
from erstwhile.facts.table import FACTS
from erstwhile.storage.lookup import scope_for_new
from erstwhile.storage.unit import Unit


def remember(unit: Unit, draft: Draft, reason: str | None = None) -> Fact:
    """Store a draft: a verbatim repeat adds evidence, a new value of a key replaces the old."""
    scope = scope_for_new(unit.viewer)
    twin = find_twin(unit, scope, draft.kind, draft.fingerprint)
    if twin is not None and not _gives_way(twin, draft):
        return _repeat(unit, twin, draft, reason)
    if (rejected := find_rejected(unit, scope, draft)) is not None:
        return rejected
    if twin is not None or draft.key is not None:
        replaced = _giving_way(unit, scope, draft, twin)
        return _put(unit, draft, replaced, scope, action="remember", reason=reason)
    fact = draft.to_fact(scope, unit.now)
    return FACTS.add(unit, fact, draft.fingerprint, action="remember", reason=reason)


def supersede(
    unit: Unit, old: Fact, draft: Draft, reason: str | None, others: Sequence[Fact] = ()
) -> Fact:
    """Put a draft in the place of a fact, or of several: all change together, or none does."""
    if find_rejected(unit, old.scope, draft) is not None:
        raise RefusedError(
            "somebody rejected this before",
            remedy="let someone trusted say it, or undo the rejection",
        )
    replaced = [old, *others]
    twin = find_twin(unit, old.scope, draft.kind, draft.fingerprint, besides=old.id)
    if twin is not None and twin.id in {each.id for each in others}:
        twin = None
    if twin is not None and not _gives_way(twin, draft):
        return _supersede_by_twin(unit, replaced, twin, draft, reason)
    giving_way = _giving_way(unit, old.scope, draft, *replaced, twin)
    return _put(unit, draft, giving_way, old.scope, action="replace", reason=reason)


def find_twin(
    unit: Unit, scope: Scope, kind: Kind, fingerprint: bytes, besides: str | None = None
) -> Fact | None:
    """The open fact that says the same in this scope; one whose time ran out is closed first."""
    same = {"scope": unit.scope_id(scope), "kind": kind, "fingerprint": fingerprint}
    found = [to_fact(row) for row in unit.rows("find_twin", same)]
    twins = [twin for twin in found if twin.id != besides and not closed(unit, twin)]
    return twins[0] if twins else None


def find_rejected(unit: Unit, scope: Scope, draft: Draft) -> Fact | None:
    """What somebody rejected that said the same: from outside it is not heard again."""
    if draft.trusted:
        return None
    same = {"scope": unit.scope_id(scope), "fingerprint": draft.fingerprint}
    rows = unit.rows("find_rejected", same)
    return to_fact(rows[0]) if rows else None


def has_ended_since(unit: Unit, scope: Scope, draft: Draft, moment: datetime) -> bool:
    """Whether something that said the same was true at a moment, and is no longer, or never was."""
    same = {"scope": unit.scope_id(scope), "fingerprint": draft.fingerprint}
    return bool(unit.rows("find_ended", {**same, "moment": to_micros(moment)}))


def closed(unit: Unit, fact: Fact) -> bool:
    """Close an open fact if its time ran out; whether it did."""
    if fact.ends_at is None or fact.ends_at > unit.now:
        return False
    FACTS.change(unit, fact, retired(fact, Ending.EXPIRED, at=unit.now), action="expire")
    unit.tick()
    return True


def find_rival(unit: Unit, fact: Fact) -> Fact | None:
    """What a fact that comes back cannot stand beside: a twin, or another value of its key."""
    if fact.retired_at is None:
        same = fingerprint(fact.text, fact.key)
        twin = find_twin(unit, fact.scope, fact.kind, same, besides=fact.id)
        if twin is not None:
            return twin
    values = _values_after(unit, fact.scope, fact)
    return next((value for value in values if _excludes(unit, value, fact)), None)


def _excludes(unit: Unit, value: Fact, fact: Fact) -> bool:
    """Of a key only one value is open, and at any moment at most one is true."""
    if value.id == fact.id:
        return False
    both_open = value.retired_at is None and fact.retired_at is None
    return overlapping(value, fact) or (both_open and not closed(unit, value))


def find_values(unit: Unit, scope: Scope, key: str, since: datetime) -> list[Fact]:
    """The values of a key that are open, or that hold at or after a moment."""
    params = {"scope": unit.scope_id(scope), "key": key, "since": to_micros(since)}
    return [to_fact(row) for row in unit.rows("find_values", params)]


def _repeat(unit: Unit, twin: Fact, draft: Draft, reason: str | None) -> Fact:
    again = repeated(twin, draft, unit.now)
    if again is twin:
        return twin
    return FACTS.change(unit, twin, again, action="repeat", reason=reason)


def _gives_way(twin: Fact, draft: Draft) -> bool:
    """What came from outside, when someone trusted says the same.

    It is not freed: they answer for what they said, and not for the tags, links and times that
    came with it from outside.
    """
    return twin.trust is Trust.QUARANTINED and draft.trusted


def _giving_way(unit: Unit, scope: Scope, draft: Draft, *known: Fact | None) -> list[Fact]:
    """The facts that are known to, and the values of its key."""
    facts = [fact for fact in known if fact is not None]
    ids = {fact.id for fact in facts}
    return facts + [fact for fact in _values_after(unit, scope, draft) if fact.id not in ids]


def _values_after(unit: Unit, scope: Scope, new: Draft | Fact) -> list[Fact]:
    """What must give way: from its beginning on, a new value is the only one its key has."""
    if new.key is None:
        return []
    return find_values(unit, scope, new.key, new.valid_from or unit.now)


def _put(
    unit: Unit,
    draft: Draft,
    replaced: Sequence[Fact],
    scope: Scope,
    *,
    action: str,
    reason: str | None,
) -> Fact:
    """Add a draft, and end what it replaces where it begins."""
    _check_precedence(unit, draft, replaced)
    open_ids = tuple(fact.id for fact in replaced if fact.retired_at is None)
    new = draft.to_fact(scope, unit.now, supersedes=open_ids)
    for fact in replaced:
        cut = clipped(fact, new, unit.now)
        FACTS.change(unit, fact, cut, action="supersede", reason=reason)
    return FACTS.add(unit, new, draft.fingerprint, action=action, reason=reason)


def _supersede_by_twin(
    unit: Unit, replaced: Sequence[Fact], twin: Fact, draft: Draft, reason: str | None
) -> Fact:
    """What should replace the facts is remembered already: point at it."""
    _check_precedence(unit, draft, replaced)
    if twin.valid_from > unit.now:
        raise ConflictError(
            f"{twin.short_id} says so already, and is not true yet",
            remedy="replace the fact when it is, or retire one of the two",
        )
    for old in replaced:
        ended = retired(old, Ending.SUPERSEDED, at=unit.now, successor=twin.id)
        FACTS.change(unit, old, ended, action="supersede", reason=reason)
    links = (*twin.supersedes, *(old.id for old in replaced))
    again = replace(repeated(twin, draft, unit.now), supersedes=links)
    return FACTS.change(unit, twin, again, action="repeat", reason=reason)


def _check_precedence(unit: Unit, draft: Draft, replaced: Sequence[Fact]) -> None:
    ends_an_answer = draft.key is not None or not all(_gives_way(each, draft) for each in replaced)
    if ends_an_answer and draft.valid_from is not None and draft.valid_from > unit.now:
        raise InvalidInputError(
            "a replacement cannot begin in the future: two answers would hold until then",
            remedy="record it when it is true, or remember it as a fact of its own",
        )
    if not draft.trusted and any(fact.trust is Trust.TRUSTED for fact in replaced):
        raise RefusedError(
            "what is quarantined cannot replace a trusted fact",
            remedy="remember it as a fact of its own, and let someone confirm it",
        )
