"""Remember a statement, and supersede the facts that it replaces.

A statement becomes a new fact, evidence for a fact (`_repeat`), or the replacement of facts
(`supersede`): the old facts end when the new one begins. Each call is one transaction, so a
refused statement changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any, TypeAlias

from erstwhile.core.arguments import checked_items
from erstwhile.core.errors import ConflictError, InvalidInputError, RefusedError
from erstwhile.core.kinds import Ending, Kind, Origin, State, Tier, Trust
from erstwhile.core.scope import Scope
from erstwhile.core.text import fingerprint
from erstwhile.core.time import FOREVER, to_micros
from erstwhile.facts import agent_rules
from erstwhile.facts.draft import Draft, as_agent, to_draft
from erstwhile.facts.draft import draft as make_draft
from erstwhile.facts.fact import Fact, to_fact
from erstwhile.facts.lifecycle import clipped, ran_out, repeated, retired
from erstwhile.facts.table import FACTS
from erstwhile.storage.access import Access
from erstwhile.storage.record import scope_for_new
from erstwhile.storage.unit import Unit

Admission: TypeAlias = Callable[[Access], Callable[[Draft], Draft]]
"""Returns the function that judges the drafts of one call."""


def remember(
    unit: Unit, draft: Draft, reason: str | None = None, scope: Scope | None = None
) -> Fact:
    """Store a draft, by default in the scope of the viewer.

    A verbatim repetition adds evidence; a new value of a key replaces the old.
    """
    by_agent = draft.origin is Origin.AGENT
    if by_agent or not unit.viewer.person:
        agent_rules.check_draft(unit.viewer, draft)
    scope = scope or scope_for_new(unit.viewer)
    duplicate = find_duplicate(unit, scope, draft.kind, draft.fingerprint)
    if duplicate is not None and not _replaces_quarantined(duplicate, draft):
        again = repeated(duplicate, draft, unit.now)
        if again is duplicate:
            return duplicate
        return FACTS.change(unit, duplicate, again, action="repeat", reason=reason)
    if by_agent and draft.key is not None and draft.trusted:
        # An agent must not hide a person's value of a wider scope.
        values = [to_fact(row) for row in unit.rows("find_value", {"key": draft.key}, State.LIVE)]
        values += _values_after(unit, scope, draft)
        for value in values:
            agent_rules.check_unprotected(unit, value)
        if any(map(agent_rules.is_stated, values)):
            return remember(unit, agent_rules.as_proposal(draft, scope, values), reason, scope)
    if by_agent or draft.trust is Trust.QUARANTINED:
        rejected = agent_rules.find_rejected(unit, scope, draft)
        if rejected is not None and draft.trusted:
            raise was_rejected(rejected)
        if rejected is not None:
            return rejected
    if duplicate is not None or draft.key is not None:
        replaced = _replaced_facts(unit, scope, draft, duplicate)
        return _add_replacing(unit, draft, replaced, scope, action="remember", reason=reason)
    fact = draft.to_fact(scope, unit.now)
    return FACTS.add(unit, fact, draft.fingerprint, action="remember", reason=reason)


def remember_one(
    access: Access,
    text: str,
    details: Mapping[str, Any],
    admission: Admission,
    then: Callable[[Unit, Fact], Fact] | None = None,
) -> Fact:
    """Store one statement of the viewer, if it is admitted; `then` completes the result."""
    stated = as_agent(access.viewer, details)
    draft = make_draft(text, now=access.clock.now(), **stated)
    if draft.origin is Origin.AGENT:  # the guard admits all other drafts
        draft = admission(access)(draft)
    if then is None:
        return access.change(partial(remember, draft=draft))
    return access.change(lambda unit: then(unit, remember(unit, draft)))


def remember_many(
    access: Access,
    items: Iterable[str | Mapping[str, Any] | Draft],
    admission: Admission,
) -> list[Fact]:
    """Store several statements in one transaction: all of them, or none."""
    given = checked_items(items, "items")
    now, admitted, drafts = access.clock.now(), admission(access), list[Draft]()
    with _naming_the_item(after=drafts):
        for item in given:
            drafts.append(admitted(to_draft(item, access.viewer, now=now)))

    def remember_drafts(unit: Unit) -> list[Fact]:
        facts: list[Fact] = []
        with _naming_the_item(after=facts):
            for draft in drafts:
                facts.append(remember(unit, draft))
                unit.tick()
        return facts

    return access.change(remember_drafts) if drafts else []


def supersede(
    unit: Unit,
    old: Fact,
    draft: Draft,
    reason: str | None,
    others: Sequence[Fact] = (),
    *,
    ending: Ending = Ending.SUPERSEDED,
    action: str = "replace",
) -> Fact:
    """Replace one or several facts by a draft: all of them, or none.

    If they were wrong, say so by the ending: then they were never true.
    """
    if (rejected := agent_rules.find_rejected(unit, old.scope, draft)) is not None:
        raise was_rejected(rejected)
    old_facts = [old, *others]
    by_agent = draft.origin is Origin.AGENT and draft.tier is Tier.INFERRED
    if by_agent and any(map(agent_rules.is_stated, old_facts)):
        for each in old_facts:
            agent_rules.check_unprotected(unit, each)
        held = agent_rules.as_proposal(draft, old.scope, old_facts)
        return remember(unit, held, reason, old.scope)
    duplicate = find_duplicate(unit, old.scope, draft.kind, draft.fingerprint, besides=old.id)
    if duplicate is not None and duplicate.id in {each.id for each in others}:
        duplicate = None
    if duplicate is not None and not _replaces_quarantined(duplicate, draft):
        return _supersede_by_duplicate(unit, old_facts, duplicate, draft, reason, ending)
    replaced = _replaced_facts(unit, old.scope, draft, *old_facts, duplicate)
    return _add_replacing(
        unit, draft, replaced, old.scope, action=action, reason=reason, ending=ending
    )


def find_duplicate(
    unit: Unit, scope: Scope, kind: Kind, fingerprint: bytes, besides: str | None = None
) -> Fact | None:
    """Return the open fact with the same text in this scope. It closes expired facts."""
    same = {"scope": unit.scope_id(scope), "kind": kind, "fingerprint": fingerprint}
    found = [to_fact(row) for row in unit.rows("find_duplicate", same)]
    still_open = [each for each in found if each.id != besides and not close_expired(unit, each)]
    return still_open[0] if still_open else None


def find_values(unit: Unit, scope: Scope, key: str, since: datetime) -> list[Fact]:
    """Return the open values of a key, and those true at or after a moment."""
    params = {"scope": unit.scope_id(scope), "key": key, "since": to_micros(since)}
    return [to_fact(row) for row in unit.rows("find_values", params)]


def has_ended_since(unit: Unit, scope: Scope, draft: Draft, moment: datetime) -> bool:
    """Return whether a fact with the same text ended after a moment, or was wrong."""
    same = {"scope": unit.scope_id(scope), "fingerprint": draft.fingerprint}
    return bool(unit.rows("find_ended", {**same, "moment": to_micros(moment)}))


def check_no_rival(unit: Unit, fact: Fact) -> None:
    """Raise ConflictError if another fact has the same text or key at the same time."""
    rival = None
    if fact.retired_at is None:
        same = fingerprint(fact.text, fact.key)
        rival = find_duplicate(unit, fact.scope, fact.kind, same, besides=fact.id)
    values = () if rival else _values_after(unit, fact.scope, fact)
    rival = rival or next((value for value in values if _is_rival(unit, value, fact)), None)
    if rival is None:
        return
    if rival.retired_at is None and not ran_out(rival, unit.now):
        raise ConflictError(
            f"{rival.short_id} is live in its place", remedy="retire that fact first"
        )
    raise ConflictError(
        f"{rival.short_id} was true at the same time", remedy="delete that fact first"
    )


def close_expired(unit: Unit, fact: Fact) -> bool:
    """Close an open fact if it has expired; return whether it was closed."""
    if not ran_out(fact, unit.now):
        return False
    FACTS.change(unit, fact, retired(fact, Ending.EXPIRED, at=unit.now), action="expire")
    unit.tick()
    return True


def was_rejected(rejected: Fact) -> RefusedError:
    return RefusedError(
        f"a person rejected, retired or deleted this statement before, as {rejected.short_id}",
        remedy="let a person state it, or undo or restore that one",
    )


def _replaces_quarantined(duplicate: Fact, draft: Draft) -> bool:
    """Return whether a trusted draft replaces a quarantined fact with the same text.

    The old fact stays quarantined: the trusted source did not state its tags, links and times. An
    agent that says the same does not let it in: it may only repeat what it read.
    """
    by_agent = draft.origin is Origin.AGENT and draft.tier is Tier.INFERRED
    return duplicate.trust is Trust.QUARANTINED and draft.trusted and not by_agent


def _replaced_facts(unit: Unit, scope: Scope, draft: Draft, *known: Fact | None) -> list[Fact]:
    """Return the facts to be replaced by a draft: the known ones and the values of its key."""
    facts = [fact for fact in known if fact is not None]
    ids = {fact.id for fact in facts}
    return facts + [fact for fact in _values_after(unit, scope, draft) if fact.id not in ids]


def _values_after(unit: Unit, scope: Scope, new: Draft | Fact) -> list[Fact]:
    """Return the values of the same key at the beginning of a new value."""
    if new.key is None:
        return []
    return find_values(unit, scope, new.key, new.valid_from or unit.now)


def _add_replacing(
    unit: Unit,
    draft: Draft,
    replaced: Sequence[Fact],
    scope: Scope,
    *,
    action: str,
    reason: str | None,
    ending: Ending = Ending.SUPERSEDED,
) -> Fact:
    """Add a draft, and end the replaced facts at its beginning."""
    _check_precedence(unit, draft, replaced)
    open_ids = tuple(fact.id for fact in replaced if fact.retired_at is None)
    new = draft.to_fact(scope, unit.now, supersedes=open_ids)
    for fact in replaced:
        cut = clipped(fact, new, unit.now, ending)
        FACTS.change(unit, fact, cut, action="supersede", reason=reason)
    return FACTS.add(unit, new, draft.fingerprint, action=action, reason=reason)


def _supersede_by_duplicate(
    unit: Unit,
    replaced: Sequence[Fact],
    duplicate: Fact,
    draft: Draft,
    reason: str | None,
    ending: Ending,
) -> Fact:
    """Link the replaced facts to a stored fact with the text of the draft."""
    _check_precedence(unit, draft, replaced)
    if duplicate.valid_from > unit.now:
        raise ConflictError(
            f"{duplicate.short_id} already has this text, and is not true yet",
            remedy="replace the fact when that one is true, or retire one of the two",
        )
    for old in replaced:
        ended = retired(old, ending, at=unit.now, successor=duplicate.id)
        FACTS.change(unit, old, ended, action="supersede", reason=reason)
    links = (*duplicate.supersedes, *(old.id for old in replaced))
    again = replace(repeated(duplicate, draft, unit.now), supersedes=links)
    return FACTS.change(unit, duplicate, again, action="repeat", reason=reason)


def _check_precedence(unit: Unit, draft: Draft, replaced: Sequence[Fact]) -> None:
    ends_an_answer = draft.key is not None or not all(
        _replaces_quarantined(each, draft) for each in replaced
    )
    if ends_an_answer and draft.valid_from is not None and draft.valid_from > unit.now:
        raise InvalidInputError(
            "a replacement cannot begin in the future: the old fact is true until then",
            remedy="record it when it is true, or remember it as a separate fact",
        )
    if not draft.trusted and any(fact.trust is Trust.TRUSTED for fact in replaced):
        raise RefusedError(
            "a quarantined fact cannot replace a trusted one",
            remedy="remember it as a separate fact, and confirm it",
        )
    if draft.origin is Origin.AGENT and draft.tier is Tier.INFERRED:
        for fact in replaced:
            agent_rules.check_unprotected(unit, fact)


def _is_rival(unit: Unit, value: Fact, fact: Fact) -> bool:
    """Return whether both cannot exist: a key has one open value, and one true value at a time."""
    if value.id == fact.id:
        return False
    begin = max(value.valid_from, fact.valid_from)
    if begin < min(value.ends_at or FOREVER, fact.ends_at or FOREVER):
        return True
    both_open = value.retired_at is None and fact.retired_at is None
    return both_open and not close_expired(unit, value)


@contextmanager
def _naming_the_item(after: Sequence[object]) -> Iterator[None]:
    """Add the number of the failed item to an error: the item after the finished ones."""
    try:
        yield
    except (InvalidInputError, RefusedError) as error:
        error.message = f"item {len(after)}: {error.message}"
        raise
