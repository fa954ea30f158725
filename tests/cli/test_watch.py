"""`erstwhile learn --watch`: a worker in a pipe and on a terminal, and its end by signals."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pytest

import erstwhile
from tests.cli.shell import COMMAND, AtTerminal

WATCH = ("--everything", "learn", "--watch")


@pytest.fixture
def agent(db: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[erstwhile.Memory]:
    """Open the memory as an agent that leaves learning to the worker."""
    monkeypatch.setenv("ERSTWHILE_EMBEDDER", "none")
    with erstwhile.open(db, learners=0) as memory:
        yield memory


def started() -> tuple[subprocess.Popen[bytes], IO[bytes]]:
    process = subprocess.Popen((*COMMAND, *WATCH), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    return process, process.stdout


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_in_a_pipe_each_attempt_is_a_line_of_json_until_a_signal_ends_it(
    agent: erstwhile.Memory, number: signal.Signals, code: int
) -> None:
    agent.scoped(user="ana").observe_turn("I live in Lisbon.", "Nice.")
    process, lines = started()
    first = json.loads(lines.readline())
    agent.scoped(user="bob").observe_turn("I live in Rome.", "Nice.")
    second = json.loads(lines.readline())
    assert [each["scope"]["user"] for each in (first, second)] == ["ana", "bob"]
    assert {each["outcome"] for each in (first, second)} == {"learned"}
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert (out, err, process.returncode) == (b"", b"", code)
    assert agent.everything().learning.pending() == []


def test_a_closed_pipe_ends_it(agent: erstwhile.Memory) -> None:
    process, lines = started()
    with process:
        agent.observe_turn("I live in Lisbon.", "Nice.")
        lines.readline()
        lines.close()
        agent.observe_turn("I live in Rome.", "Nice.")
        assert process.wait(60) == 0
    agent.learn()
    assert agent.learning.pending() == []


def test_on_a_terminal_it_shows_each_proposal_and_the_counts(agent: erstwhile.Memory) -> None:
    with AtTerminal(*WATCH) as call:
        call.wait_for("Learning by patterns. Ctrl-C ends it.")
        agent.scoped(user="ana").observe_turn("I live in Lisbon.", "Nice.")
        call.wait_for("lives in Lisbon")
        agent.scoped(user="ana").observe_turn("Thanks!", "Welcome.")
        call.wait_for("small talk")
        call.interrupt()
        ended = call.finish()
    assert ended.code == 130
    assert "2 attempts, 1 learned, 1 not salient" in ended.words
    assert "user=ana" in ended.words
    assert "Traceback" not in ended.words
