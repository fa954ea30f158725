"""The filters of a query for facts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

from erstwhile.core.errors import AmbiguousIdError, InvalidInputError
from erstwhile.core.ids import id_range
from erstwhile.core.keywords import check_keywords
from erstwhile.core.kinds import NOT_DELETED, Kind, State, choice
from erstwhile.core.text import checked_id, checked_label, checked_text, folded, like_pattern
from erstwhile.core.time import EPOCH, FOREVER, Moment
from erstwhile.facts.draft import checked_key
from erstwhile.storage.columns import encode
from erstwhile.storage.view import View


class ContentFilters(TypedDict, total=False):
    """The filters of facts by what they say and where they come from."""

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
    conversation: str | None
    """Facts that come from this conversation."""
    since: Moment | None
    """Recorded at or after this time."""
    until: Moment | None
    """Recorded before this time."""


class Filters(ContentFilters, total=False):
    """The filters of `list`, `count` and `recall`. A filter that is left out has no effect."""

    state: State | str
    """`live` by default; `retired`, `upcoming`, `quarantined` or `any`."""
    deleted: bool
    """Only deleted facts, whatever their state."""
    as_of: Moment | None
    """The time at which the facts are true (valid time); now by default."""
    known_at: Moment | None
    """The time at which the facts were recorded (recorded time); now by default."""


def text_params(filters: ContentFilters) -> dict[str, str | None]:
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


def params_on(view: View, filters: ContentFilters) -> dict[str, str | int | None]:
    """Return all filters as parameters of the fragment `matching`."""
    given = filters.get("conversation")
    conversation = None if given is None else _conversation_id(view, given)
    return {
        **text_params(filters),
        "conversation": conversation,
        "source": None if conversation is None else _source_beginning(conversation),
        "since": view.parse(filters.get("since"), "since", default=EPOCH),
        "until": view.parse(filters.get("until"), "until", default=FOREVER),
    }


def candidates(params: Mapping[str, str | int | None]) -> str:
    """Return the choice for `{{candidates}}`: the smallest set of facts that the filters allow."""
    ways = (("entity", "naming"), ("key", "keyed"), ("tag", "tagged"))
    return next((way for name, way in ways if params[name] is not None), "all")


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


def _conversation_id(view: View, given: str) -> str:
    """Return the id of a visible conversation; any other text is the name of a source."""
    id = checked_id(given, name="conversation")
    try:
        lowest, highest = id_range(id)
    except InvalidInputError:
        return id
    rows = view.rows("conversations_between", {"lowest": lowest, "highest": highest})
    if len(rows) > 1:
        raise AmbiguousIdError(id, tuple(row[0] for row in rows))
    return str(rows[0][0]) if rows else id


def _source_beginning(conversation: str) -> str:
    """Return the beginning of the column `source` of facts that come from a conversation."""
    return f'{{"conversation":{encode(conversation)},'


def _folded_label(label: str | None, name: str) -> str | None:
    return None if label is None else folded(checked_label(label, name=name))


def _pattern(part: str | None) -> str | None:
    return None if part is None else like_pattern(checked_text(part, name="contains", limit=1_000))
