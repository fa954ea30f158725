"""A user who says one thing after the other, and the facts at the end."""

from __future__ import annotations

import erstwhile
from erstwhile.core.ports import Llm
from erstwhile.learning.attempts import Attempt


def told(llm: Llm | None, *said: str) -> tuple[list[Attempt], dict[str, str | None], list[str]]:
    """Return the attempts, the live facts with their keys, and the texts of retired facts."""
    with erstwhile.open(":memory:", embedder="none", llm=llm or "none") as memory:
        ana = memory.scoped(user="ana")
        made = [
            attempt
            for text in said
            for attempt in ana.observe_turn(text, "All right.", wait=True).attempts
        ]
        live = {fact.text: fact.key for fact in ana.facts.list(limit=100)}
        return made, live, [fact.text for fact in ana.facts.list(state="retired", limit=100)]
