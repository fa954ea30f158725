"""Properties of records after any history."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import erstwhile
from erstwhile.records.model import MAX_LESSONS
from erstwhile.search.terms import query_terms, terms
from erstwhile.testing.clock import FakeClock

WORDS = ("race", "worker", "queue", "数据库", "超时", "getUserName", "v1.2")
titles = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)
verbs = st.sampled_from(("add", "add", "delete", "restore", "erase"))
steps = st.lists(st.tuples(verbs, st.integers(0, 9), titles), max_size=25)


class Notes:
    """Observations as a plain dictionary would have them."""

    def __init__(self, memory: erstwhile.Memory) -> None:
        self.memory = memory
        self.titles: dict[str, str] = {}
        self.hidden: set[str] = set()

    def step(self, verb: str, which: int, title: str) -> None:
        if verb == "add":
            added = self.memory.observations.add("bugfix", title)
            self.titles[added.id] = title
            return
        ids = [id for id in self.titles if (id in self.hidden) is (verb == "restore")]
        if not ids:
            return
        id = ids[which % len(ids)]
        getattr(self.memory.observations, verb)(id)
        if verb == "erase":
            del self.titles[id]
        else:
            self.hidden ^= {id}

    def holding(self, query: str) -> set[str]:
        wanted = set(query_terms(query))
        return {
            id
            for id, title in self.titles.items()
            if id not in self.hidden and wanted & set(terms(title))
        }


@settings(max_examples=25)
@given(steps)
def test_searching_finds_exactly_what_is_there(history: list[tuple[str, int, str]]) -> None:
    with erstwhile.open(":memory:", embedder="none", clock=FakeClock()) as memory:
        notes, elsewhere = Notes(memory.scoped(user="ana")), memory.scoped(user="bob")
        for word in WORDS:
            elsewhere.observations.add("bugfix", word)
        for verb, which, title in history:
            notes.step(verb, which, title)
        for word in WORDS:
            found = notes.memory.observations.search(word, limit=100)
            assert {hit.record.id for hit in found} == notes.holding(word)
            assert len(elsewhere.observations.search(word, limit=100)) >= 1
        assert memory.everything().audit.verify().ok


calls = st.fixed_dictionaries(
    {
        "model": st.sampled_from(("a", "b", "gpt-4o", "claude-haiku-4-5")),
        "session": st.sampled_from((None, "s", "t")),
        "input": st.integers(0, 100_000_000),
        "output": st.integers(0, 100_000_000),
        "cache_read": st.integers(0, 100_000_000),
        "cost": st.none() | st.decimals(0, 1_000_000, places=9, allow_nan=False),
        "at": st.sampled_from(("2026-02-27T23:59:59.999999Z", "2026-02-28", "2026-02-28T23:00Z")),
    }
)


@given(st.lists(calls, max_size=12))
def test_sums_are_those_of_the_calls(history: list[dict[str, Any]]) -> None:
    """Sums are exact for every split; every call is priced or counted as unpriced."""
    with erstwhile.open(":memory:", embedder="none", clock=FakeClock()) as memory:
        entries = [memory.usage.record(**call) for call in history]
        keys: dict[str | None, Callable[[erstwhile.UsageEntry], str | None]] = {
            None: lambda _: None,
            "day": lambda entry: entry.at.date().isoformat(),
            "model": lambda entry: entry.model,
            "session": lambda entry: entry.session,
        }
        for by, key in keys.items():
            sums = {each.of: each for each in memory.usage.summary(by)}
            groups: dict[Any, list[erstwhile.UsageEntry]] = {None: []} if by is None else {}
            for entry in entries:
                groups.setdefault(key(entry), []).append(entry)
            assert set(sums) == set(groups)
            for of, group in groups.items():
                costs = [entry.cost for entry in group if entry.cost is not None]
                assert sums[of].calls == len(group)
                assert sums[of].input == sum(entry.input for entry in group)
                assert sums[of].cost == (sum(costs, Decimal(0)) if costs else None)
                assert sums[of].unpriced == len(group) - len(costs)


rules = st.lists(st.tuples(st.integers(0, 14), st.integers(0, 200)), max_size=60)


@given(rules)
def test_a_domain_keeps_the_most_useful_and_counts_right(history: list[tuple[int, int]]) -> None:
    """The limit holds, the newest stays, and no occurrence is lost."""
    clock = FakeClock()
    with erstwhile.open(":memory:", embedder="none", clock=clock) as memory:
        learned: Counter[str] = Counter()
        for number, days in history:
            clock.advance(days=days)
            newest = memory.lessons.add("code", f"rule {number}")
            learned[newest.rule] += 1
            kept = memory.lessons.list()
            assert newest in list(kept)
            assert len(kept) == min(len(learned), MAX_LESSONS)
        everything = [*memory.lessons.list(), *memory.lessons.list(deleted=True)]
        assert Counter({each.rule: each.occurrences for each in everything}) == learned
        assert memory.audit.verify().ok
