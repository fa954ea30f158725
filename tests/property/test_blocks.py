"""Random edits of blocks, compared with a model: a list of versions per block."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

import erstwhile
from erstwhile import Block
from tests.property.places import TurnedClock

NAMES = st.sampled_from(["persona", "notes", "notes/today"])
TEXTS = st.sampled_from(
    ["", "tea", "tea\n", "Tea is good. Milk is better. ", "字" * 30, "```\ncode\n```\n", "x" * 70]
)
LIMITS = st.sampled_from([1, 10, 30, 4_096])
REFUSALS = (erstwhile.RefusedError, erstwhile.NotFoundError, erstwhile.InvalidInputError)


class BlockMachine(RuleBasedStateMachine):
    """All kinds of edits, with present and with stale versions, on blocks of one scope."""

    def __init__(self) -> None:
        super().__init__()
        self.clock = TurnedClock()
        settings = erstwhile.Settings(tokenizer="estimate", embedder="none")
        self.memory = erstwhile.open(":memory:", settings=settings, clock=self.clock)
        self.ana = self.memory.scoped(user="ana")
        self.log: dict[str, list[Block]] = {}
        """Every version of every block, by its id."""

    def teardown(self) -> None:
        self.memory.close()

    @rule(name=NAMES, text=TEXTS, limit=LIMITS, overflow=st.sampled_from(["refuse", "archive"]))
    def add(self, name: str, text: str, limit: int, overflow: str) -> None:
        self._do("add", name, text, limit_tokens=limit, overflow=overflow)

    @rule(name=NAMES, text=TEXTS, off=st.sampled_from([None, 0, 0, -1, 1]))
    def write(self, name: str, text: str, off: int | None) -> None:
        self._do("update", name, text, off=off)

    @rule(name=NAMES, text=TEXTS, off=st.sampled_from([None, 0, -1]))
    def append(self, name: str, text: str, off: int | None) -> None:
        self._do("append", name, text, off=off)

    @rule(name=NAMES, text=TEXTS, line=st.integers(-1, 3))
    def insert(self, name: str, text: str, line: int) -> None:
        self._do("insert", name, line, text)

    @rule(name=NAMES, old=TEXTS, new=TEXTS)
    def replace(self, name: str, old: str, new: str) -> None:
        self._do("replace_text", name, old, new)

    @rule(name=NAMES, other=NAMES, off=st.sampled_from([None, 0, -1]))
    def rename(self, name: str, other: str, off: int | None) -> None:
        self._do("rename", name, other, off=off)

    @rule(name=NAMES, limit=LIMITS, overflow=st.sampled_from([None, "archive"]))
    def limit(self, name: str, limit: int, overflow: str | None) -> None:
        self._do("set_limit", name, limit, overflow=overflow)

    @rule(name=NAMES, version=st.none() | st.integers(0, 6))
    def restore(self, name: str, version: int | None) -> None:
        self._do("restore", name, version)

    @rule(name=NAMES, off=st.sampled_from([None, 0, -1]))
    def delete(self, name: str, off: int | None) -> None:
        self._do("delete", name, off=off)

    @rule(name=NAMES)
    def erase(self, name: str) -> None:
        try:
            receipt = self.ana.blocks.erase(name)
        except erstwhile.NotFoundError:
            return
        assert receipt.blocks
        for id in receipt.ids:
            self.log.pop(id, None)

    @rule(hours=st.integers(-3, 3))
    def turn_the_clock(self, hours: int) -> None:
        self.clock.turn(timedelta(hours=hours))

    @precondition(lambda self: self.log)
    @rule(pick=st.integers(0, 50))
    def look_back(self, pick: int) -> None:
        states = [block for versions in self.log.values() for block in versions]
        moment = sorted(block.updated_at for block in states)[pick % len(states)]
        known = {
            block.name: block
            for versions in self.log.values()
            for block in [block for block in versions if block.updated_at <= moment][-1:]
            if block.deleted_at is None and versions[-1].deleted_at is None
        }
        seen = self.ana.blocks.list(known_at=moment)
        assert {block.name: block for block in seen} == known

    @invariant()
    def versions_grow_by_one(self) -> None:
        for versions in self.log.values():
            assert [block.version for block in versions] == list(range(1, len(versions) + 1))
        live = [versions[-1] for versions in self.log.values() if not versions[-1].deleted_at]
        assert list(self.ana.blocks.list()) == sorted(live, key=lambda block: block.name)
        for block in live:
            history = self.ana.blocks.history(block.name, limit=1_000)
            assert [step.new for step in history] == self.log[block.id][::-1]

    @invariant()
    def limits_hold_and_the_trail_is_whole(self) -> None:
        for versions in self.log.values():
            assert versions[-1].tokens <= versions[-1].limit_tokens
        assert self.ana.audit.verify().ok

    def _do(self, verb: str, name: str, *said: Any, off: int | None = None, **more: Any) -> None:
        """Call a verb; a refused call must change nothing."""
        before = self._live(name)
        if off is not None and before is not None:
            more["expected_version"] = before.version + off
        entries = self.ana.audit.list(limit=1_000)
        try:
            block: Block = getattr(self.ana.blocks, verb)(name, *said, **more)
        except REFUSALS:
            assert self.ana.audit.list(limit=1_000) == entries
            return
        assert not (off and before), "a stale version was taken"
        versions = self.log.setdefault(block.id, [])
        if not versions or versions[-1] != block:
            versions.append(block)

    def _live(self, name: str) -> Block | None:
        states = (versions[-1] for versions in self.log.values())
        return next((each for each in states if each.name == name and not each.deleted_at), None)


TestBlocks = BlockMachine.TestCase
