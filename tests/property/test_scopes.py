"""Invariant 3: nothing outside the reader's scope appears in any result, count, trace or error."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st

import recollect
from recollect.model.scope import DIMENSIONS, SHARED
from tests.property.clock import TurnedClock

names = st.none() | st.sampled_from(["ana", "bob"])
scopes = st.builds(recollect.Scope, user=names, agent=names, project=names, session=names)

NEEDLE = "needle"
"""In every text, name, tag and reason: whatever shows one shows it with the number of its fact."""


@contextmanager
def filled(owners: Sequence[recollect.Scope]) -> Iterator[tuple[recollect.Memory, list[recollect.Fact]]]:
    """A memory in which each of the scopes has a fact of its own, in every state in turn."""
    with recollect.open(":memory:", clock=TurnedClock()) as memory:
        facts = [_add(memory, owner, number) for number, owner in enumerate(owners)]
        yield memory, facts


def _add(memory: recollect.Memory, owner: recollect.Scope, number: int) -> recollect.Fact:
    own = within(memory, owner)
    needle = f"{NEEDLE}{number}"
    fact = own.remember(
        f"says {needle}",
        key="key",
        tags=[needle],
        entities=["everyone", needle],
        relations=[("everyone", needle, needle)],
    )
    if number % 3 == 1:
        return own.facts.retire(fact.id, "expired", reason=needle)
    return own.facts.pin(fact.id, reason=needle)


def within(memory: recollect.Memory, scope: recollect.Scope) -> recollect.Memory:
    return memory.scoped(**{name: getattr(scope, name) for name in DIMENSIONS})


def shown(facts: Sequence[recollect.Fact]) -> set[str]:
    return {fact.id for fact in facts}


def is_live(fact: recollect.Fact) -> bool:
    return fact.retired_at is None


@given(owners=st.lists(scopes, max_size=6), reader=scopes)
def test_lists_and_counts_show_exactly_what_the_reader_may_see(
    owners: list[recollect.Scope], reader: recollect.Scope
) -> None:
    with filled(owners) as (memory, facts):
        seen = [fact for fact in facts if reader.sees(fact.scope)]
        view = within(memory, reader)
        assert shown(view.facts.list(state="any")) >= shown(seen)
        assert {fact.scope for fact in view.facts.list(state="any")} <= {f.scope for f in seen}
        assert view.facts.count(state="any") == len(view.facts.list(state="any"))
        assert view.facts.count(state="any", entity="everyone") == view.facts.count(state="any")
        everything = memory.everything().facts.list(state="any", limit=1_000)
        assert shown(view.facts.list(state="any")) == shown(
            [fact for fact in everything if reader.sees(fact.scope)]
        )
