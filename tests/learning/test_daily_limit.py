"""The limit of a day, where several processes spend at the same time."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import recollect
from recollect.testing.clock import FakeClock
from tests.adapters.llm_server import chat
from tests.adapters.loopback import LoopbackServer
from tests.docs.pages import PROJECT
from tests.learning.scripts.spend import TURNS

PROCESSES = 3
COST = 100
ANSWER = chat('{"add": []}', usage={"prompt_tokens": COST - 10, "completion_tokens": 10})


def started(file: Path, url: str, user: str, limit: int) -> subprocess.Popen[str]:
    words = [str(file), url, user, f"{limit} tokens"]
    command = [sys.executable, "-m", "tests.learning.scripts.spend", *words]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=PROJECT, stdin=pipe, stdout=pipe, stderr=pipe, text=True)


def test_processes_overrun_it_by_one_call_each_at_most(tmp_path: Path) -> None:
    """It is looked at before each call, and each call is noted before the next."""
    file, limit = tmp_path / "memory.db", 5 * COST
    recollect.open(file, clock=FakeClock()).close()
    with LoopbackServer(ANSWER) as server:
        racing = [started(file, server.url, f"user {n}", limit) for n in range(PROCESSES)]
        for process in racing:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
        for process in racing:
            assert process.stdin is not None
            process.stdin.write("\n")
            process.stdin.flush()
        for process in racing:
            _, complaints = process.communicate(timeout=120)
            assert (process.returncode, complaints) == (0, "")
        calls = len(server.seen)
    assert limit <= calls * COST < limit + PROCESSES * COST
    with recollect.open(file, clock=FakeClock()) as memory:
        everything = memory.everything()
        assert everything.learning.status().spent.calls == calls
        used = [each.method for each in everything.learning.attempts(limit=100)]
        assert used.count("llm:test-model") == calls
        assert used.count("patterns") == PROCESSES * TURNS - calls
