"""Long turns for a prompt: of each text, and of the whole, the beginning and the end are kept.

The end of a message is where its conclusion stands, so it is never what is cut off.
"""

from __future__ import annotations

from collections.abc import Sequence

from erstwhile.conversations.conversation import Role
from erstwhile.learning.turn import Line

LONGEST_LINE = {Role.USER: 6_000, Role.ASSISTANT: 3_000, Role.TOOL: 1_500}
"""Characters of one message: what the user says is what is learned from."""
LONGEST_TURN = 20_000
GAP = " […] "


def shortened(text: str, limit: int) -> str:
    """The text, or its beginning and its end with a mark of what is missing between them."""
    if len(text) <= limit:
        return text
    kept = limit - len(GAP)
    tail = kept // 2
    return text[: kept - tail] + GAP + text[len(text) - tail :]


def shown_lines(lines: Sequence[Line]) -> list[tuple[int, Line, str]]:
    """Each line that is shown: its number, from 1, and what is shown of it.

    If all together are too long, those in the middle that the user did not say give way.
    """
    shown = [
        (number, line, shortened(line.text, LONGEST_LINE[line.role]))
        for number, line in enumerate(lines, 1)
    ]
    while sum(len(text) for *_, text in shown) > LONGEST_TURN and len(shown) > 1:
        others = [at for at, (_, line, _) in enumerate(shown) if line.role is not Role.USER]
        candidates = others or range(len(shown))
        del shown[candidates[len(candidates) // 2]]
    return shown
