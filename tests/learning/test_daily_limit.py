"""The daily limit with several processes at the same time."""

from __future__ import annotations

from pathlib import Path

import erstwhile
from erstwhile.testing.clock import FakeClock
from tests.adapters.llm_server import chat
from tests.adapters.loopback import LoopbackServer
from tests.engines.processes import together
from tests.learning.scripts.spend import TURNS

PROCESSES = 3
COST = 100
ANSWER = chat('{"add": []}', usage={"prompt_tokens": COST - 10, "completion_tokens": 10})


def test_processes_overrun_it_by_one_call_each_at_most(tmp_path: Path) -> None:
    """The limit is checked before each call, and each call is recorded before the next."""
    file, limit = tmp_path / "memory.db", 5 * COST
    erstwhile.open(file, clock=FakeClock()).close()
    with LoopbackServer(ANSWER) as server:
        users = [(file, server.url, f"user {n}", f"{limit} tokens") for n in range(PROCESSES)]
        together("tests.learning.scripts.spend", *users)
        calls = len(server.seen)
    assert limit <= calls * COST < limit + PROCESSES * COST
    with erstwhile.open(file, clock=FakeClock()) as memory:
        everything = memory.everything()
        assert everything.learning.status().spent.calls == calls
        used = [each.method for each in everything.learning.attempts(limit=100)]
        assert used.count("llm:test-model") == calls
        assert used.count("capped") == PROCESSES * TURNS - calls
