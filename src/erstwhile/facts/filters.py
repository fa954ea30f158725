"""The filters of a query for facts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypedDict

from erstwhile.core.errors import InvalidInputError
from erstwhile.core.keywords import check_keywords
from erstwhile.core.kinds import NOT_DELETED, Kind, State, choice
from erstwhile.core.text import checked_label, checked_text, folded, like_pattern
from erstwhile.core.time import Moment
from erstwhile.facts.draft import checked_key


class Filters(TypedDict, total=False):
    """The filters of `list`, `count` and `recall`. A filter that is left out has no effect."""

    kind: Kind | str | Sequence[Kind | str] | None
    """One kind, or several."""
    tag: str | None
    """Facts with this tag."""
    entity: str | None
    """Facts that mention this entity, by its name or an alias."""
    key: str | None
    """Values of this key."""
    contains: str | None
    """Facts whose text contains these words, in any letter case."""
    since: Moment | None
    """Recorded at or after this time."""
    until: Moment | None
    """Recorded before this time."""
    state: State | str
    """`live` by default; `retired`, `upcoming`, `quarantined` or `any`."""
    deleted: bool
    """Only deleted facts, whatever their state."""
    as_of: Moment | None
    """The time at which the facts are true (valid time); now by default."""
    known_at: Moment | None
    """The time at which the facts were recorded (recorded time); now by default."""


def text_params(filters: Filters) -> dict[str, str | None]:
    """Return the filters on content as parameters. A blank filter is an error."""
    check_keywords(filters, Filters)
    given: Any = filters.get
    return {
        "kinds": _kinds(given("kind")),
        "tag": _folded_label(given("tag"), "tag"),
        "entity": _folded_label(given("entity"), "entity"),
        "key": None if given("key") is None else checked_key(given("key")),
        "contains": _pattern(given("contains")),
    }


def wanted_state(filters: Filters) -> State:
    """Return the state of the facts that a query is about."""
    if filters.get("deleted"):
        if "state" in filters:
            raise InvalidInputError(
                "`deleted` and `state` cannot be combined", remedy="leave `state` out"
            )
        return State.DELETED
    return choice(State, filters.get("state", State.LIVE), name="state", instead=NOT_DELETED)


def _kinds(kind: Kind | str | Sequence[Kind | str] | None) -> str:
    """Return the kinds as one text, such as ",fact,event,"."""
    if kind is None:
        return ""
    wanted = [kind] if isinstance(kind, str) else list(kind)
    if not wanted:
        raise InvalidInputError("the list of kinds is empty", remedy="leave it out for all kinds")
    return "".join(f",{choice(Kind, each, name='kind')}" for each in wanted) + ","


def _folded_label(label: str | None, name: str) -> str | None:
    return None if label is None else folded(checked_label(label, name=name))


def _pattern(part: str | None) -> str | None:
    return None if part is None else like_pattern(checked_text(part, name="contains", limit=1_000))
