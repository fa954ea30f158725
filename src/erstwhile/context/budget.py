"""The token budget: how much of it the parts and the sections have at least.

The prefix must not depend on the query. So it may use a fixed part of the budget, and leaves the
rest to the tail. In both parts a share is a guarantee, no cap: a section that has more to say uses
what the others leave.
"""

from __future__ import annotations

from collections.abc import Collection

from erstwhile.context.model import PREFIX, Section

GUARANTEES = {
    Section.FACTS: 10, Section.HISTORY: 25, Section.CONVERSATIONS: 10, Section.LESSONS: 5,
    Section.TASKS: 5, Section.OBSERVATIONS: 4, Section.OUTCOMES: 4,
}  # fmt: skip
"""The percentage of the tail that a section has at least. In a small tail the first go first."""
PREFIX_GUARANTEES = {
    Section.INSTRUCTIONS: 50, Section.RULES: 20, Section.PROFILE: 20, Section.PROJECT: 10,
}  # fmt: skip
"""The same in the prefix, of what is not kept for blocks. Instructions have bounds of their own."""
_ONE_ITEM = 60
"""The usual tokens of an item and its heading: a smaller guarantee would be useless."""
_SMALLEST_ITEM = 8
"""The fewest tokens of an item."""
_MOST_ITEMS = 1_000
MOST_FOUND = 1_000


def prefix_room(tokens: int, needs: Collection[Section]) -> int:
    """Return the tokens of the prefix without blocks: half, or all if there is no tail."""
    return tokens // 2 if set(needs) - PREFIX else tokens


def blocks_room(tokens: int, needs: Collection[Section]) -> int:
    """Return the tokens of the prefix with blocks, which may use half of the tail's, too."""
    return tokens * 3 // 4 if set(needs) - PREFIX else tokens


def guarantee(room: int, percentage: int) -> int:
    """Return the tokens that a section has at least: its percentage, or enough for one item."""
    return min(room, max(room * percentage // 100, _ONE_ITEM))


def most_items(tokens: int) -> int:
    """Return how many items of a section are worth reading."""
    return max(1, min(tokens // _SMALLEST_ITEM, _MOST_ITEMS))
