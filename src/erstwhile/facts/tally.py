"""Count the visible facts by state and kind, and measure the store."""

from __future__ import annotations

from types import MappingProxyType

from erstwhile.core.kinds import State
from erstwhile.core.scope import SHARED
from erstwhile.core.stats import Stats
from erstwhile.storage.access import Access


def measure(access: Access) -> Stats:
    states = [state for state in State if state is not State.ANY]
    tallies: dict[State, dict[str, int]] = access.ask(
        lambda view: {state: dict(view.rows("tally_facts", {}, state)) for state in states}
    )
    engine, unscoped = access.engine, access.viewer.scope == SHARED
    return Stats(
        **{state.value: sum(tallies[state].values()) for state in states},
        kinds=MappingProxyType(tallies[State.LIVE]),
        engine=engine.dialect,
        schema=engine.schema(),
        bytes=engine.size() if unscoped else None,
    )
