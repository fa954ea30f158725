"""The filters of a query for facts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any, TypedDict

from erstwhile.core.arguments import check_keywords, checked_items
from erstwhile.core.errors import (
    AmbiguousIdError,
    AmbiguousTextError,
    InvalidInputError,
    NotFoundError,
)
from erstwhile.core.ids import id_range
from erstwhile.core.json_values import FrozenDict
from erstwhile.core.kinds import NOT_DELETED, Kind, State, choice
from erstwhile.core.results import Page, PageRequest, ScopeCount, Stats, all_items
from erstwhile.core.scope import SHARED, to_scope
from erstwhile.core.text import (
    checked_id,
    checked_label,
    checked_metadata,
    checked_text,
    folded,
    like_pattern,
)
from erstwhile.core.time import EPOCH, Moment, from_micros
from erstwhile.facts.fact import MAX_TEXT, Fact, FactChange, to_fact
from erstwhile.storage.columns import encode
from erstwhile.storage.view import View

if TYPE_CHECKING:
    from erstwhile.core.ports import Row
    from erstwhile.storage.access import Access


_SINGLE = (str, int, float, bool, type(None))


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
    metadata: Mapping[str, str | int | float | bool | None] | None
    """Facts whose metadata has all these values."""
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


def params_on(view: View, filters: ContentFilters) -> dict[str, str | int | None]:
    """Return all filters as parameters of the fragment `matching`. A blank filter is an error."""
    check_keywords(filters, Filters)
    given: Any = filters.get
    conversation, part = given("conversation"), given("contains")
    if part is not None:
        part = like_pattern(checked_text(part, name="contains", limit=1_000))
    if conversation is not None:
        conversation = _conversation_id(view, conversation)
    return {
        "kinds": _kinds_param(given("kind")),
        **{name: _folded_label(given(name), name) for name in ("tag", "entity", "key")},
        "tagged": like_pattern(encode(folded(given("tag")))) if given("tag") else None,
        "metadata": _metadata_param(given("metadata")),
        "contains": part,
        "conversation": conversation,
        # The beginning of the column `source`, for the facts of a conversation.
        "source": conversation and f'{{"conversation":{encode(conversation)},',
        **view.period(filters.get("since"), filters.get("until")),
    }


def candidates(params: Mapping[str, str | int | None]) -> str:
    """Return the choice for `{{candidates}}`: the smallest set of facts that the filters allow."""
    ways = (("entity", "naming"), ("key", "keyed"), ("tag", "tagged"))
    return next((way for name, way in ways if params[name] is not None), "all")


def wanted_state(filters: Filters) -> State:
    """Return the state of the facts to query."""
    if filters.get("deleted"):
        if "state" in filters:
            raise InvalidInputError(
                "`deleted` and `state` cannot be combined", remedy="leave `state` out"
            )
        return State.DELETED
    return choice(State, filters.get("state", State.LIVE), name="state", instead=NOT_DELETED)


def _kinds_param(kind: Kind | str | Sequence[Kind | str] | None) -> str:
    """Return the kinds as one text, such as ",fact,event,"."""
    if kind is None:
        return ""
    wanted = [kind] if isinstance(kind, str) else list(checked_items(kind, "kind"))
    if not wanted:
        raise InvalidInputError("the list of kinds is empty", remedy="leave it out for all kinds")
    return "".join(f",{choice(Kind, each, name='kind')}" for each in wanted) + ","


def _metadata_param(wanted: Mapping[str, Any] | None) -> str | None:
    """Return the wanted values of metadata as JSON. An empty filter is an error."""
    if wanted is None:
        return None
    values = checked_metadata(wanted)
    if not values or not all(isinstance(each, _SINGLE) for each in values.values()):
        raise InvalidInputError(
            "metadata must have names, each with a text, a number, true, false or null",
            remedy='write metadata={"ticket": 42}; leave it out for all facts',
        )
    return encode(dict(values))


def _conversation_id(view: View, given: str) -> str:
    """Return the id of a visible conversation; any other text is the name of a source."""
    id = checked_id(given, name="conversation")
    try:
        lowest, highest = id_range(id)
    except NotFoundError:
        return id
    rows = view.rows("conversations_between", {"lowest": lowest, "highest": highest})
    if len(rows) > 1:
        raise AmbiguousIdError(id, tuple(row[0] for row in rows))
    return str(rows[0][0]) if rows else id


def _folded_label(label: str | None, name: str) -> str | None:
    return None if label is None else folded(checked_label(label, name=name))


_MAX_CANDIDATES = 20
"""The most candidates that an error lists."""
_NO_MATCH = 4
_COMPARED_IN_STORE = 1_000
"""Characters of the text that the store compares; the rest is compared here."""
_UNSPACED = "\u0e00"
"""From this character on, many scripts have no spaces: any part of a text may be a word."""


def find_by_text(view: View, text: str, state: State) -> Fact:
    """Return the best match for a text; raise AmbiguousTextError if there are several.

    A fact of exactly the viewer's scope goes before facts of wider scopes.
    """
    wanted = checked_text(text, name="text", limit=MAX_TEXT)
    best: list[Fact] = []
    best_rank = (_NO_MATCH, False)
    for fact in _facts_containing(view, wanted, state):
        rank = (_match_rank(fact.text, wanted), not view.viewer.may_change(fact.scope))
        if rank < best_rank:
            best, best_rank = [fact], rank
        elif rank == best_rank and best and len(best) < _MAX_CANDIDATES:
            best.append(fact)
    if not best:
        raise NotFoundError("no fact with this text is visible here", remedy="try `recall`")
    if len(best) > 1:
        raise AmbiguousTextError(tuple(fact.id for fact in best))
    return best[0]


def newest_value(view: View, key: str, state: State) -> Fact:
    """Return the newest value of a key in a state, of the narrowest visible scope."""
    wanted = folded(checked_label(key, name="key"))
    rows = view.rows("find_value", {"key": wanted}, state)
    if not rows:
        raise NotFoundError(f"the key {wanted!r} has no value here", remedy="see `facts.list`")
    return to_fact(rows[0])


def _match_rank(text: str, wanted: str) -> int:
    """Return how a text matches: 0 if it is the same, 1 when folded, 2 at its beginning, else 3.

    A part of a text must consist of whole words.
    """
    if text == wanted:
        return 0
    text, wanted = folded(text), folded(wanted)
    if text == wanted:
        return 1
    place = _place_of_words(text, wanted)
    if place is None:
        return _NO_MATCH
    return 2 if place == 0 else 3


def _facts_containing(view: View, text: str, state: State) -> Iterator[Fact]:
    """Return the visible facts with a text in them, perhaps within a word, newest first."""
    pattern = like_pattern(folded(text)[:_COMPARED_IN_STORE])

    def list_page(limit: int, cursor: str | None) -> Page[Fact]:
        request = PageRequest(limit, cursor)
        params = {**params_on(view, {}), "contains": pattern, **request.params}
        rows = view.rows("list_facts", params, state, "all")
        return request.page([to_fact(row) for row in rows])

    return all_items(list_page)


def _place_of_words(text: str, part: str) -> int | None:
    """Return where a part begins in a text, if no word is cut at either end."""
    start = text.find(part)
    while start >= 0:
        if not _cuts_a_word(text, start) and not _cuts_a_word(text, start + len(part)):
            return start
        start = text.find(part, start + 1)
    return None


def _cuts_a_word(text: str, place: int) -> bool:
    sides = text[max(place - 1, 0) : place + 1]
    return 0 < place < len(text) and all(each.isalnum() and each < _UNSPACED for each in sides)


def changes_along(view: View, id: str) -> list[FactChange]:
    """Return the changes of a fact, its predecessors and its successors, also in other scopes."""
    made: list[FactChange] = []
    ids = _chain_ids(view, id)
    for each in ids:
        steps = [
            FactChange(
                at=from_micros(row[0]),
                action=row[1],
                actor=row[2],
                reason=row[3],
                fact=to_fact(row[4:]),
            )
            for row in view.rows("fact_changes", {"id": each})
        ]
        made += steps
        if steps and steps[0].action == "move":  # the fact came from another scope
            former = [_chain_ids(view, old) for old in steps[0].fact.supersedes]
            ids += [old for chain in former for old in chain if old not in ids]
    return made


def _chain_ids(view: View, id: str) -> list[str]:
    return [each for (each,) in view.rows("fact_chain", {"id": id})]


def scope_counts(access: Access) -> list[ScopeCount]:
    """Return the visible scopes with their numbers of live facts."""
    rows = access.ask(lambda view: view.rows("count_in_scopes", {}, State.LIVE))
    return [ScopeCount(scope=to_scope(*dimensions), facts=count) for count, *dimensions in rows]


def tag_counts(access: Access) -> dict[str, int]:
    """Return the tags of live facts with the number of facts that have each."""
    rows = access.ask(lambda view: view.rows("tally_tags", {}, State.LIVE))
    counts: dict[str, int] = {}
    names: dict[str, str] = {}
    for stored, count in rows:
        for tag in json.loads(stored):
            name = names.setdefault(folded(tag), tag)
            counts[name] = counts.get(name, 0) + count
    return dict(sorted(counts.items()))


def _by_date(rows: Iterable[Row]) -> FrozenDict[str, int]:
    """Return counts by date, given by the number of days since 1970."""
    return FrozenDict({str((EPOCH + timedelta(day)).date()): count for day, count in rows})


def measure(access: Access) -> Stats:
    states = [state for state in State if state is not State.ANY]
    tallies: dict[State, dict[str, int]] = access.ask(
        lambda view: {state: dict(view.rows("tally_facts", {}, state)) for state in states}
    )
    [[waiting]] = access.ask(lambda view: view.rows("count_outbox", {}))
    recorded = access.ask(lambda view: view.rows("tally_recorded", {}, State.ANY))
    uses = access.ask(lambda view: view.rows("tally_uses", {}))
    engine, unscoped = access.engine, access.viewer.scope == SHARED
    counts: dict[str, Any] = {state.value: sum(tallies[state].values()) for state in states}
    return Stats(
        **counts,
        kinds=FrozenDict(tallies[State.LIVE]),
        recorded=_by_date(recorded),
        used=_by_date(uses),
        outbox=waiting,
        engine=engine.dialect,
        schema=engine.schema(),
        bytes=engine.size() if unscoped else None,
    )
