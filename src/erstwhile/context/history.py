"""Of a conversation, the last messages that fit into a prompt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from erstwhile.conversations.conversation import Message, Transcript

Cost = Callable[[Message], int]
"""How much of the room a message takes."""


def fitting(transcript: Transcript, room: int, cost: Cost) -> Transcript:
    """The last messages, without a gap, that fit into a room; the others count as omitted."""
    kept: list[Message] = []
    for message in reversed(transcript.messages):
        room -= cost(message)
        if room < 0:
            break
        kept.append(message)
    left_out = len(transcript.messages) - len(kept)
    return replace(
        transcript, messages=tuple(reversed(kept)), omitted=transcript.omitted + left_out
    )
