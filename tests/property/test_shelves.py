"""The counts of a shelf are those of its passages, after any changes of any records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

import erstwhile
from erstwhile.core.ports import Engine
from erstwhile.memory import Memory
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import embedding_memory
from tests.contracts.recall.among import ADD, ERASE, HIDE, KINDS, SHOW
from tests.property.places import in_process

WORDS = ("tea", "kettle", "数据库", "getUserName", "the", "8080")
SCOPES: tuple[dict[str, str], ...] = ({}, {"user": "ana"}, {"user": "bob", "agent": "coder"})
VERBS = ("add", "add", "hide", "show", "erase", "tag", "replace", "retire", "undo", "branch")
Change = tuple[str, str, int, str, int]

texts = st.builds(
    lambda words, times: f"{' '.join(words)}. " * times,
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=5),
    st.sampled_from([1, 1, 40]),
)
changes = st.lists(
    st.tuples(
        st.sampled_from(VERBS),
        st.sampled_from(KINDS),
        st.integers(0, len(SCOPES) - 1),
        texts,
        st.integers(0, 9),
    ),
    min_size=1,
    max_size=15,
)


def change(memory: Memory, known: list[tuple[str, str, int]], made: Change) -> None:
    """Make a change; a change that is not possible now changes nothing."""
    verb, kind, scope, text, chosen = made
    if verb == "add":
        known.append((kind, ADD[kind](memory.scoped(**SCOPES[scope]), text), scope))
        return
    if not known:
        return
    kind, id, scope = known[chosen % len(known)]
    own = memory.scoped(**SCOPES[scope])
    verbs: dict[str, Callable[[], object]] = {
        "hide": lambda: HIDE[kind](own, id),
        "show": lambda: SHOW[kind](own, id),
        "erase": lambda: ERASE[kind](own, id),
        "tag": lambda: own.remember(own.facts.get(id).text, tags=["a new label"]),
        "replace": lambda: own.facts.replace(id, text),
        "undo": lambda: own.facts.undo(id),
        "retire": lambda: own.facts.retire(id, "superseded"),
        "branch": lambda: own.conversations.branch(id),
    }
    try:
        verbs[verb]()
    except (erstwhile.ErstwhileError, KeyError):
        return


def counts(memory: Memory, sql: str) -> Counter[tuple[int, str]]:
    rows = memory._access.engine.read(lambda session: session.rows(sql, {}))
    return Counter(
        {
            (shelf, name): int(number)
            for shelf, *numbers in rows
            for name, number in zip(("passages", "terms"), numbers, strict=True)
            if number
        }
    )


@given(made=changes)
def test_a_shelf_counts_what_it_holds(made: list[Change]) -> None:
    look(made, in_process)


def look(made: list[Change], place: Callable[[], Engine]) -> None:
    memory = embedding_memory(place(), FakeClock(), None)
    known: list[tuple[str, str, int]] = []
    for each in made:
        change(memory, known, each)
    held = counts(
        memory,
        "SELECT shelf, COUNT(*), SUM(CASE WHEN terms = '' THEN 0 ELSE"
        " LENGTH(terms) - LENGTH(REPLACE(terms, ' ', '')) + 1 END) FROM passages GROUP BY shelf",
    )
    assert counts(memory, "SELECT id, passages, terms FROM shelves") == held
    memory.close()
