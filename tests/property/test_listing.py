"""The answers of `list` and `count`, compared with plain Python over a log of states."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

import erstwhile
from erstwhile.core.text import folded
from tests.property.acting import Acting, hours, on_each_engine

LISTED = [state for state in erstwhile.types.State if state is not erstwhile.types.State.DELETED]


@st.composite
def some_filters(draw: st.DrawFn) -> dict[str, Any]:
    """Generate some filters, mostly few; times are distances from now."""
    choices: dict[str, st.SearchStrategy[Any]] = {
        "state": st.sampled_from(LISTED),
        "deleted": st.booleans(),
        "kind": st.sampled_from(["fact", "preference", ["fact", "profile"]]),
        "tag": st.sampled_from(["hot", "COLD", "nothing"]),
        "entity": st.sampled_from(["ana", "BOB", "nobody"]),
        "key": st.sampled_from(["drink", "Weather", "nothing"]),
        "contains": st.sampled_from(["TEA", "%", "_", "0% r", "absent"]),
        "since": hours,
        "until": hours,
        "as_of": hours,
    }
    names = draw(st.lists(st.sampled_from(sorted(choices)), max_size=3, unique=True))
    filters = {name: draw(choices[name]) for name in names}
    if filters.get("deleted"):
        filters.pop("state", None)
    return filters


questions = st.tuples(
    st.integers(0, 2), some_filters(), st.none() | st.integers(0, 30), st.integers(1, 5)
)
"""Who asks, with which filters, as known at which change, and how much at a time."""


class Listing(Acting):
    @precondition(lambda self: self.log)
    @rule(asked=st.lists(questions, min_size=5, max_size=10))
    def ask_all(self, asked: list[tuple[int, dict[str, Any], int | None, int]]) -> None:
        for view, filters, known, limit in asked:
            self.ask([*self.views, self.all][view], self.placed(filters), known, limit)

    def ask(
        self, memory: erstwhile.Memory, question: dict[str, Any], known: int | None, limit: int
    ) -> None:
        if known is not None:
            stamps = sorted(fact.known_from for states in self.log.values() for fact in states)
            question["known_at"] = stamps[known % len(stamps)]
        expected = [fact for fact in self.believed(question) if self.sees(memory, fact)]
        assert list(pages(memory, limit, question)) == expected
        assert memory.facts.count(**question) == len(expected)

    def sees(self, memory: erstwhile.Memory, fact: erstwhile.Fact) -> bool:
        return memory is self.all or memory.scope.sees(fact.scope)

    def believed(self, question: dict[str, Any]) -> list[erstwhile.Fact]:
        """Return the facts that pass the filters, newest first, as known at `known_at`."""
        known_at = question.get("known_at")
        present = max(self.clock.now(), self.last_change)
        as_of = question.get("as_of") or known_at or present
        then = [self.state_of(id, known_at or present) for id in sorted(self.log, reverse=True)]
        return [
            self.as_listed(fact).seen_at(as_of)
            for fact in then
            if fact is not None and fits(fact, question) and self.is_in(fact, as_of, question)
        ]

    def as_listed(self, fact: erstwhile.Fact) -> erstwhile.Fact:
        """Return a fact that was deleted later as deleted, as it is at all times."""
        deleted = fact.deleted_at or self.log[fact.id][-1].deleted_at
        return replace(fact, deleted_at=deleted)

    def state_of(self, id: str, known_at: datetime) -> erstwhile.Fact | None:
        known = [state for state in self.log[id] if state.known_from <= known_at]
        return known[-1] if known else None

    def is_in(self, fact: erstwhile.Fact, as_of: datetime, question: dict[str, Any]) -> bool:
        """Return whether the state of a fact fits; a deleted fact is deleted at all times."""
        state = erstwhile.types.State.DELETED if fact.id in self.deleted else fact.state_at(as_of)
        is_deleted = state is erstwhile.types.State.DELETED
        if question.get("deleted") or is_deleted:
            return bool(question.get("deleted")) and is_deleted
        return question.get("state", erstwhile.types.State.LIVE) in (
            state,
            erstwhile.types.State.ANY,
        )


def fits(fact: erstwhile.Fact, question: dict[str, Any]) -> bool:
    checks: dict[str, Callable[[Any], bool]] = {
        "kind": lambda kind: fact.kind in ([kind] if isinstance(kind, str) else kind),
        "tag": lambda tag: folded(tag) in map(folded, fact.tags),
        "entity": lambda name: folded(name) in map(folded, fact.entities),
        "key": lambda key: fact.key == folded(key),
        "contains": lambda part: folded(part) in folded(fact.text),
        "since": lambda since: fact.recorded_at >= since,
        "until": lambda until: fact.recorded_at < until,
    }
    return all(check(question[name]) for name, check in checks.items() if name in question)


def pages(
    memory: erstwhile.Memory, limit: int, question: dict[str, Any]
) -> Iterator[erstwhile.Fact]:
    """Yield the facts of all pages; check that each page but the last is full."""
    cursor = None
    while True:
        page = memory.facts.list(limit=limit, cursor=cursor, **question)
        assert page or cursor is None
        yield from page
        if page.next is None:
            return
        assert len(page) == limit
        cursor = page.next


TestListing, TestListingOnPostgres = on_each_engine(Listing)
