"""The collection `memory.facts`: read, change and erase facts."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Unpack

from erstwhile.core.arguments import check_keywords
from erstwhile.core.errors import InvalidInputError, NotFoundError, RefusedError
from erstwhile.core.ids import looks_like_id
from erstwhile.core.json_values import FrozenDict
from erstwhile.core.kinds import Ending, Kind, Origin, State, choice
from erstwhile.core.ports import Row
from erstwhile.core.results import BulkChange, Erasure, Page, PageRequest, Receipt
from erstwhile.core.scope import to_scope
from erstwhile.core.text import checked_reason
from erstwhile.core.time import FOREVER, Moment, from_micros, to_micros
from erstwhile.facts import changes
from erstwhile.facts.delete_all import delete_all, restore_all
from erstwhile.facts.draft import Details, ValueDetails, as_agent, checked_key, draft
from erstwhile.facts.fact import Fact, FactChange, to_fact
from erstwhile.facts.held import why_held
from erstwhile.facts.quarantine import confirm
from erstwhile.facts.queries import (
    ContentFilters,
    Filters,
    candidates,
    changes_along,
    find_by_text,
    newest_value,
    params_on,
    wanted_state,
)
from erstwhile.facts.remember import check_no_rival, remember_one
from erstwhile.facts.table import FACTS
from erstwhile.secrets.masking import texts_in
from erstwhile.storage import erasure
from erstwhile.storage.record import RecordCollection, owned
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View


def _count_retired(view: View, age: Moment | timedelta, filters: ContentFilters) -> Erasure:
    params = {**params_on(view, filters), "before": erasure.oldest(view, age)}
    rows = view.rows("count_retired", params, State.RETIRED, candidates(params), erasure.own(view))
    counts = {to_scope(*dimensions): count for count, *dimensions in rows}
    total = {"facts": sum(counts.values())} if counts else {}
    return Erasure(scopes=tuple(counts), collections=FrozenDict(total))


def _find_retired(view: View, old: dict[str, int], filters: ContentFilters) -> Sequence[Fact]:
    params = {**params_on(view, filters), **old}
    choices = (State.RETIRED, candidates(params), erasure.own(view))
    return FACTS.select(view, "find_retired", params, *choices)


class Facts(RecordCollection[Fact], noun="fact"):
    """All facts that this memory's scope can see. Ids may be shortened while they stay unique."""

    _table = FACTS

    def get(self, id: str, *, as_of: Moment | None = None, known_at: Moment | None = None) -> Fact:
        """Return one fact, ended or not; with a time, only if it was true, or known, then."""

        def found(view: View) -> Fact:
            fact = _find_by_id(view, id)
            if as_of is not None and not _is_true_at(fact, view.as_of):
                raise NotFoundError(f"{fact.short_id} was not true at that time")
            return fact.seen_at(from_micros(view.as_of))

        return self._access.ask(found, as_of, known_at)

    def list(
        self, *, limit: int = 20, cursor: str | None = None, **filters: Unpack[Filters]
    ) -> Page[Fact]:
        """Return a page of facts, newest first. Pass its `next` as `cursor` for the next page."""
        check_keywords(filters, Filters, "limit", "cursor")
        request = PageRequest(limit, cursor)
        rows, seen_at = self._matching("list_facts", filters, **request.params)
        return request.page([to_fact(row).seen_at(seen_at) for row in rows])

    def count(self, **filters: Unpack[Filters]) -> int:
        """Count the facts that `list` returns for the same filters."""
        check_keywords(filters, Filters)
        rows, _ = self._matching("count_facts", filters)
        return int(rows[0][0])

    def find(self, text: str, *, state: State | str = "live") -> Fact:
        """Return the one fact with this text, or with a part of it that no other fact has.

        The first condition that any fact meets decides: the same text; the same except for
        letter case, spacing and Unicode form; a text that begins with it; a text that contains it
        as whole words. If several facts meet it, raise AmbiguousTextError, which lists their ids.
        """
        wanted = wanted_state({"state": state})

        def found(view: View) -> Fact:
            return find_by_text(view, text, wanted).seen_at(view.now)

        return self._access.ask(found)

    def value(
        self, key: str, *, as_of: Moment | None = None, known_at: Moment | None = None
    ) -> str | None:
        """Return the live value of a key, from the narrowest visible scope that has one."""
        wanted = {"key": checked_key(key)}
        rows = self._access.ask(
            lambda view: view.rows("find_value", wanted, State.LIVE), as_of, known_at
        )
        found = [to_fact(row) for row in rows[:1]]
        return found[0].value or found[0].text if found else None

    def history(
        self, id: str, *, as_of: Moment | None = None, known_at: Moment | None = None
    ) -> builtins.list[FactChange]:
        """Return every change of a fact, its predecessors and its successors, oldest first.

        `id` is the id of a fact, or a key such as "city": then it is the newest value of the key.
        """

        def found_changes(view: View) -> builtins.list[FactChange]:
            made = changes_along(view, _find_by_id_or_key(view, id).id)
            steps = sorted(made, key=lambda step: (step.at, step.fact.id))
            return [step for step in steps if as_of is None or _is_true_at(step.fact, view.as_of)]

        return self._access.ask(found_changes, as_of, known_at)

    def replace(
        self, id: str, new_text: str, *, reason: str | None = None, **details: Unpack[Details]
    ) -> Fact:
        """Replace a fact by a new statement in one transaction; `reason` says why.

        The new fact keeps kind, key, tags, metadata, expiry, pin, and the entities that the new
        text still names. `details` override them.
        """
        return self._replace(lambda unit: FACTS.find_own(unit, id), new_text, reason, details)

    def replace_text(
        self, text: str, new_text: str, *, reason: str | None = None, **details: Unpack[Details]
    ) -> Fact:
        """Replace the one live fact that `find` returns for a text, as `replace` does by its id."""

        def find(unit: Unit) -> Fact:
            return owned(unit.viewer, find_by_text(unit, text, State.LIVE))

        return self._replace(find, new_text, reason, details, text)

    def forget(
        self,
        text: str | None = None,
        *,
        key: str | None = None,
        state: State | str = "live",
        reason: str | None = None,
    ) -> Fact:
        """Delete the one fact that `find` returns for a text, or the value of a key.

        `restore` brings it back.
        """
        if (text is None) == (key is None):
            raise InvalidInputError("forget takes a text or a key", remedy="give one of them")
        wanted, why = wanted_state({"state": state}), checked_reason(reason)

        def forgotten(unit: Unit) -> Fact:
            if key is not None:
                found = newest_value(unit, key, wanted)
            else:
                found = find_by_text(unit, text or "", wanted)
            fact = owned(unit.viewer, found)
            return FACTS.change(unit, fact, replace(fact, deleted_at=unit.now), "delete", why)

        return self._access.change(forgotten, texts=texts_in(text))

    def update(
        self,
        id: str,
        *,
        kind: Kind | str | None = None,
        tags: Sequence[str] | None = None,
        metadata: Mapping[str, Any] | None = None,
        reason: str | None = None,
    ) -> Fact:
        """Change the kind, the tags or the metadata of a fact; `undo` brings them back.

        Tags and metadata replace the earlier ones; what is left out stays as it is. To change the
        text, use `replace`.
        """
        new = changes.checked_update(kind, tags, metadata)
        return FACTS.edit(
            self._access, id, "update", reason, lambda unit, fact: changes.update(unit, fact, new)
        )

    def retire(
        self,
        id: str,
        ending: Ending | str,
        *,
        ended: Moment | None = None,
        reason: str | None = None,
    ) -> Fact:
        """End a fact: superseded (true until `ended`, by default now), wrong or expired."""
        kind = choice(Ending, ending, name="ending")

        def retire(unit: Unit, fact: Fact) -> Fact:
            return changes.retire(unit, fact, kind, ended)

        return FACTS.edit(self._access, id, "retire", reason, retire)

    def undo(self, id: str, *, reason: str | None = None) -> Fact:
        """Undo the end, the move or the last update of a fact.

        The fact that replaced it is retired as wrong.

        A fact that expired is live again without that end, as if it had never ended.
        """
        why = checked_reason(reason)

        def undone(unit: Unit) -> Fact:
            fact = FACTS.find(unit, id)
            if (move := changes.last_move(unit, fact)) is not None:
                return changes.undo_move(unit, *move, why)
            ended = owned(unit.viewer, fact)
            return FACTS.change(unit, ended, changes.undo(unit, ended), "undo", why)

        return self._access.change(undone)

    def move(self, id: str, *, to: str | Sequence[str], reason: str | None = None) -> Fact:
        """Move a fact to a wider or narrower scope; return it as a new fact of that scope.

        `to` names the dimensions that it keeps, with the values of this memory: "user", or
        ["user", "project"]; with "shared" alone everyone sees it. The history has both facts, and
        `undo` brings it back.
        """
        why = checked_reason(reason)
        return self._access.change(lambda unit: changes.move(unit, id, to, why))

    def confirm(self, id: str, *, reason: str | None = None) -> Fact:
        """Confirm a fact: more evidence, at least tier `confirmed`, out of quarantine."""
        why = checked_reason(reason)
        return self._access.change(lambda unit: confirm(unit, FACTS.find_own(unit, id), why))

    def pin(self, id: str, *, reason: str | None = None) -> Fact:
        """Mark a fact as always important."""
        return FACTS.edit(
            self._access, id, "pin", reason, lambda _, fact: replace(fact, pinned=True)
        )

    def unpin(self, id: str, *, reason: str | None = None) -> Fact:
        """Remove the mark of a pinned fact."""
        return FACTS.edit(
            self._access, id, "unpin", reason, lambda _, fact: replace(fact, pinned=False)
        )

    def delete(self, id: str, *, reason: str | None = None) -> Fact:
        """Hide a fact from every answer, also about past times, until it is restored or purged."""
        return super().delete(id, reason=reason)

    def restore(self, id: str, *, reason: str | None = None) -> Fact:
        """Restore a deleted fact as it was."""
        return FACTS.restore(self._access, id, reason, check_no_rival)

    def delete_all(
        self, *, user: str | None = None, preview: bool = False, reason: str | None = None
    ) -> BulkChange:
        """Delete all facts of a user, in this scope and all narrower ones; or only count them.

        A memory that is scoped to a user needs no `user`. `restore_all` brings the facts back.
        """
        return delete_all(self._access, user, reason, preview=preview)

    def restore_all(
        self,
        since: Moment,
        *,
        user: str | None = None,
        preview: bool = False,
        reason: str | None = None,
    ) -> BulkChange:
        """Restore the facts of a user that were deleted at a time or later; or only count them.

        The `at` that `delete_all` returned is such a time. A fact stays deleted if another one has
        taken its place.
        """
        return restore_all(self._access, user, since, reason, preview=preview)

    def set(self, key: str, value: str, **details: Unpack[ValueDetails]) -> Fact:
        """Set the value of a key, by default as a `profile` fact; the history keeps old values."""
        check_keywords(details, ValueDetails)
        stated = {"key": key, "kind": Kind.PROFILE, **details}
        return remember_one(self._access, value, stated, self._services.admission)

    def erase(self, *ids: str) -> Receipt:
        """Destroy facts: rows, history, edges, and their bytes in the file. There is no undo."""
        return super().erase(*ids)

    def purge_retired(
        self,
        older_than: Moment | timedelta | None = None,
        *,
        preview: bool = False,
        **filters: Unpack[ContentFilters],
    ) -> Erasure:
        """Erase the facts of exactly this scope that ended longer ago than `older_than`.

        The filters narrow them further; give at least one of both. With `preview`, only count.
        """
        check_keywords(filters, ContentFilters, "older_than", "preview")
        if older_than is None and all(value is None for value in filters.values()):
            raise InvalidInputError(
                "neither an age nor a filter was given",
                remedy="say which facts: older_than='90 days', or a filter such as kind or tag",
            )
        age = timedelta() if older_than is None else older_than
        seen = self._access.ask(lambda view: _count_retired(view, age, filters))
        if preview:
            return seen
        receipt = erasure.erase_old(
            self._access,
            age,
            find=lambda unit, old: _find_retired(unit, old, filters),
            destroy=FACTS.destroy,
            batch=FACTS.batch,
        )
        return replace(seen, receipt=receipt)

    def _replace(
        self,
        find: Callable[[Unit], Fact],
        text: str,
        reason: str | None,
        details: Details,
        *more: str,
    ) -> Fact:
        """Replace a fact, if the guard lets an agent write this text.

        A text that the guard would hold cannot replace a fact either. `more` are texts to mask.
        """
        check_keywords(details, Details, "reason")
        why = checked_reason(reason)
        new = draft(
            text,
            origin=as_agent(self._access.viewer, details).get("origin", Origin.PERSON),
            entities=details.get("entities", ()),
            relations=details.get("relations", ()),
            tags=details.get("tags", ()),
        )
        judged = self._services.admission(self._access)(new)
        if (held := why_held(judged.metadata)) is not None:
            raise RefusedError(
                f"not stored: {held[1]} ({held[0]})",
                remedy="write it without that, or let a person replace the fact",
            )
        return self._access.change(
            lambda unit: changes.replace_text(unit, find(unit), text, details, why),
            texts=texts_in((text, details, *more)),
        )

    def _matching(
        self, statement: str, filters: Filters, **params: str | int
    ) -> tuple[builtins.list[Row], datetime]:
        """Return the rows for the filters, and the time of the query."""
        state = wanted_state(filters)

        def matched(view: View) -> tuple[builtins.list[Row], datetime]:
            asked = {**params_on(view, filters), **params}
            rows = view.rows(statement, asked, state, candidates(asked))
            return rows, from_micros(view.as_of)

        return self._access.ask(matched, filters.get("as_of"), filters.get("known_at"))


def _find_by_id(view: View, given: str) -> Fact:
    try:
        return FACTS.find(view, given)
    except NotFoundError as error:
        if not looks_like_id(given):
            error.remedy = "a key is no id: use `facts.value` or `facts.history`"
        raise


def _find_by_id_or_key(view: View, given: str) -> Fact:
    """Return the fact with an id; if there is none, the newest value of a key, ended or not."""
    try:
        return FACTS.find(view, given)
    except NotFoundError as error:
        try:
            return newest_value(view, given, State.ANY)
        except (NotFoundError, InvalidInputError) as unknown:
            raise (error if looks_like_id(given) else unknown) from None


def _is_true_at(fact: Fact, at: int) -> bool:
    end = to_micros(fact.ends_at or FOREVER)
    return to_micros(fact.valid_from) <= at < end
