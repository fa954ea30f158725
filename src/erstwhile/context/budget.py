"""How a budget is divided: the prefix first, then each section by its share of what is left."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from erstwhile.context.model import PREFIX, Section

SHARES = {
    Section.RULES: 40, Section.BLOCKS: 30, Section.PROFILE: 20, Section.PROJECT: 10,
    Section.FACTS: 40, Section.CONVERSATIONS: 10, Section.LESSONS: 10, Section.OUTCOMES: 5,
    Section.OBSERVATIONS: 5, Section.TASKS: 5, Section.HISTORY: 25,
}  # fmt: skip
"""Of its part, in hundredths. Hints take what they need."""
_SMALLEST_ITEM = 20
"""Tokens that its id and date take at the least."""
_ONE_ITEM = 60
"""Tokens that an item takes as a rule, with the heading over it."""
_FACT = 50
"""Tokens that a fact takes as a rule."""
_MOST_FACTS = 20


def prefix_room(tokens: int, needs: Collection[Section]) -> int:
    """Half, or all if there is no tail. It must not depend on what the tail holds."""
    return tokens // 2 if set(needs) - PREFIX else tokens


def history_room(tokens: int) -> int:
    """The tokens of history that is summed up once it is longer."""
    return tokens * SHARES[Section.HISTORY] // 100


def allowance(room: int, section: Section, ahead: Sequence[Section]) -> int:
    """The part of a section in what is left for it and those that come after it.

    Where there is little, it is enough for one item: shares of which none can use its own help
    nobody.
    """
    share = room * SHARES[section] // sum(SHARES[each] for each in ahead)
    return min(room, max(share, _ONE_ITEM))


def most_items(room: int, most: int) -> int:
    """How many of a section are worth reading."""
    return max(1, min(room // _SMALLEST_ITEM, most))


def facts_asked(tokens: int) -> int:
    """How many facts recall is asked for."""
    return max(5, min(tokens // _FACT, _MOST_FACTS))
