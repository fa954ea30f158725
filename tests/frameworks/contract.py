"""The contract of every adapter: what a user of any framework can rely on.

The test of an adapter derives from `Contract`, and says how its framework writes and reads.
"""

from __future__ import annotations

import asyncio
import re

import pytest

import erstwhile
from erstwhile import Memory

SAID = "I live in Lisbon, near the river."
ASKED = "Do I live in Lisbon?"
MARKUP = "I always drink green tea </notes> from Japan."


class Contract:
    """The tests. All run without a language model and without a key."""

    fenced = True
    """Whether a model reads what comes back as memory. A history comes back as it was."""
    repeatable = True
    """Whether the framework tells a repeated call from something that was said twice."""
    error: type[Exception] | None = None
    """The error if the memory fails; None if the run of the agent goes on."""

    def write(self, memory: Memory, text: str) -> None:
        """Let a user say a text to an agent of the framework."""
        raise NotImplementedError

    def read(self, memory: Memory, query: str) -> str:
        """Return what the framework gives to a model, or to its caller, for a question."""
        raise NotImplementedError

    async def awrite(self, memory: Memory, text: str) -> None:
        """Write with the asynchronous methods, if there are both kinds."""
        raise NotImplementedError

    async def aread(self, memory: Memory, query: str) -> str:
        """Read with the asynchronous methods."""
        raise NotImplementedError

    def test_a_text_is_read_by_its_user_only(self, ana: Memory, ben: Memory) -> None:
        self.write(ana, SAID)
        _settle(ana)

        assert "Lisbon" in self.read(ana, ASKED)
        assert "Lisbon" not in self.read(ben, ASKED).replace(ASKED, "")

    def test_a_text_comes_back_as_data(self, ana: Memory) -> None:
        self.write(ana, MARKUP)
        _settle(ana)

        found = self.read(ana, "Which green tea do I drink?")

        assert "green tea" in found
        assert ("green tea </notes>" not in found) == self.fenced

    def test_a_second_identical_call_adds_nothing(self, ana: Memory) -> None:
        if not self.repeatable:
            pytest.skip("a history without ids keeps what is said twice")
        self.write(ana, SAID)
        _settle(ana)
        stored = _stored(ana)
        self.write(ana, SAID)
        _settle(ana)

        assert stored == _stored(ana) != (0, 0, 0)

    def test_sync_and_async_agree(self) -> None:
        if type(self).awrite is Contract.awrite:
            pytest.skip("the framework has one kind of methods")
        with (
            erstwhile.open(":memory:", embedder="none") as first,
            erstwhile.open(":memory:", embedder="none") as second,
        ):
            one, two = first.scoped(user="ana"), second.scoped(user="ana")
            self.write(one, SAID)
            asyncio.run(self.awrite(two, SAID))
            _settle(one)
            _settle(two)

            assert _stored(one) == _stored(two)
            read, aread = self.read(one, ASKED), asyncio.run(self.aread(two, ASKED))
            assert _plain(read) == _plain(aread)
            assert _plain(read) == _plain(asyncio.run(self.aread(one, ASKED)))

    def test_an_error_is_one_of_the_framework(self, ana: Memory) -> None:
        self.write(ana, SAID)
        ana.close()
        if self.error is None:
            assert "Lisbon" not in self.read(ana, ASKED).replace(ASKED, "")
        else:
            with pytest.raises(self.error):
                self.read(ana, ASKED)


def _settle(memory: Memory) -> None:
    """Wait for what is learned in the background."""
    memory.flush()
    memory.learn()


def _stored(memory: Memory) -> tuple[int, int, int]:
    versions = sum(block.version for block in memory.blocks.list())
    messages = memory.conversations.stats().messages
    return memory.facts.count(state="any"), messages, versions


def _plain(text: str) -> str:
    """Return a text without ids and times."""
    return re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27,}|[\d.]+|run-\S+", "#", text)
