"""The changes of a stored fact. Each runs inside one transaction."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from erstwhile.core.errors import ConflictError, InvalidInputError, NotFoundError
from erstwhile.core.kinds import Ending
from erstwhile.core.text import checked_text, folded
from erstwhile.core.time import Moment, parse_moment, to_micros
from erstwhile.facts import remembering
from erstwhile.facts.details import Details
from erstwhile.facts.draft import MAX_TEXT, draft
from erstwhile.facts.fact import Fact
from erstwhile.facts.lifecycle import confirmed, ran_out, retired, revived
from erstwhile.facts.rows import to_fact
from erstwhile.facts.table import FACTS
from erstwhile.storage.standing import as_agent, check_words
from erstwhile.storage.table import EITHER
from erstwhile.storage.unit import Unit


def replace_text(unit: Unit, old: Fact, text: str, details: Details, reason: str | None) -> Fact:
    """Replace a fact by a new one. The same text without details changes nothing."""
    if old.retired_at is not None:
        raise ConflictError(
            f"{old.short_id} ended already ({old.ending})",
            remedy="replace the live fact instead; the history shows it",
        )
    told = as_agent(unit.viewer, details)
    new = draft(text, now=unit.now, **{**_inherited(old, text, unit.now), **told})
    if not old.pinned:
        check_words(unit.viewer, new)
    if not details and folded(new.text) == folded(old.text) and not ran_out(old, unit.now):
        return old
    return remembering.supersede(unit, old, new, reason)


def retire(unit: Unit, fact: Fact, ending: Ending, ended: Moment | None) -> Fact:
    end = None if ended is None else parse_moment(ended, now=unit.now, name="ended")
    if end is not None and end < fact.valid_from:
        raise InvalidInputError(
            f"{fact.short_id} was not true yet at that time: it began at {fact.valid_from}",
            remedy="give a later `ended`, or retire it as wrong if it was never true",
        )
    return retired(fact, ending, at=unit.now, ended=end)


def undo(unit: Unit, fact: Fact) -> Fact:
    """Return the fact as it was before its end, and retire its successor."""
    if fact.retired_at is None and not ran_out(fact, unit.now):
        raise ConflictError(f"{fact.short_id} has not ended", remedy="there is nothing to undo")
    alive = revived(fact, _before_retirement(unit, fact), unit.now)
    _take_back_successor(unit, fact)
    remembering.check_room(unit, alive)
    return alive


def confirm(unit: Unit, fact: Fact) -> Fact:
    if fact.retired_at is not None:
        raise ConflictError(f"{fact.short_id} has ended", remedy="undo that first")
    return confirmed(fact, unit.now)


def _inherited(old: Fact, text: str, now: datetime) -> Details:
    """Return the details that a replacement keeps, with only the entities that the text names."""
    new_text = folded(checked_text(text, name="text", limit=MAX_TEXT))
    still_named = [name for name in old.entities if folded(name) in new_text]
    return {
        "kind": old.kind,
        "key": old.key,
        "entities": still_named,
        "tags": old.tags,
        "metadata": old.metadata,
        "expires_at": old.expires_at if (old.expires_at or now) > now else None,
        "pinned": old.pinned,
    }


def _before_retirement(unit: Unit, fact: Fact) -> Fact:
    if fact.retired_at is None:
        return fact
    told = {"id": fact.id, "known_at": to_micros(fact.retired_at) - 1}
    return to_fact(unit.rows("fact_before", told, "past")[0])


def _take_back_successor(unit: Unit, fact: Fact) -> None:
    """Retire the successor as wrong if the retirement of the fact created it."""
    successor = _successor(unit, fact)
    if successor is None:
        return
    why = f"undo of {fact.short_id}"
    if (
        successor.recorded_at != fact.retired_at
    ):  # the successor is older than the retirement, so it stays
        links = tuple(id for id in successor.supersedes if id != fact.id)
        apart = replace(successor, supersedes=links)
        FACTS.change(unit, successor, apart, action="unlink", reason=why)
        return
    if successor.retired_at is not None:
        raise ConflictError(
            f"{successor.short_id}, which replaced it, has ended too",
            remedy="undo that first",
        )
    wrong = retired(successor, Ending.WRONG, at=unit.now)
    FACTS.change(unit, successor, wrong, action="retire", reason=why)


def _successor(unit: Unit, fact: Fact) -> Fact | None:
    """Return the fact that replaced this one, deleted or not; None if it does not exist."""
    if fact.superseded_by is None:
        return None
    try:
        return FACTS.find(unit, fact.superseded_by, among=EITHER)
    except NotFoundError:
        return None
