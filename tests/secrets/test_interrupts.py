"""An interrupt at any place of `PreparedMasks.used` leaves later texts as they are."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import Any

import erstwhile
from erstwhile.secrets.masking import PreparedMasks

USED: Any = PreparedMasks.used
CODE = USED.__wrapped__.__code__


def is_watched(frame: FrameType) -> bool:
    """Return whether a frame is of `used`, or of the standard code that enters and leaves it."""
    entered = getattr(frame.f_locals.get("self"), "gen", None)
    return CODE in (frame.f_code, getattr(entered, "gi_code", None))


def interrupted(act: Callable[[], object], place: int) -> bool:
    """Press Ctrl-C before one instruction, counted from 0; return whether the code has so many."""
    left = place

    def trace(frame: FrameType, event: str, _argument: Any) -> Any:
        nonlocal left
        if not is_watched(frame):
            return None
        frame.f_trace_opcodes = True
        left -= event == "opcode"
        if event == "opcode" and left == -1:
            raise KeyboardInterrupt
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        with suppress(KeyboardInterrupt):
            act()
    finally:
        sys.settrace(before)
    return left < 0


def test_an_interrupt_at_no_place_alters_later_texts() -> None:
    """The text of a block is put together in the transaction, which then runs twice."""
    with erstwhile.open(":memory:", embedder="none") as memory:
        memory.blocks.add("notes", "here:")
        place = 0
        while interrupted(lambda: memory.blocks.append("notes", "more"), place):
            assert memory.remember(f"text {place}").text == f"text {place}"
            assert "masked" not in memory.blocks.get("notes").content
            place += 1
        assert place > 100
        assert memory.audit.verify().ok
