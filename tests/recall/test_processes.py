"""Several processes on one file, and processes that are killed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import erstwhile
from erstwhile.testing.clock import FakeClock
from tests.doubles import UnreliableEmbedder

PROJECT = Path(__file__).resolve().parents[2]


@pytest.fixture
def ours(file: Path) -> Iterator[erstwhile.Memory]:
    with erstwhile.open(file, embedder=UnreliableEmbedder()) as memory:
        yield memory


def started(*arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.recall.scripts.embedding", *map(str, arguments)]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=PROJECT, stdin=pipe, stdout=pipe, stderr=pipe, text=True)


def run(*arguments: object) -> str:
    process = started(*arguments)
    printed, complaints = process.communicate(timeout=300)
    assert (process.returncode, complaints) == (0, "")
    return printed.strip()


def test_what_one_process_remembers_another_recalls_at_once(
    file: Path, ours: erstwhile.Memory
) -> None:
    """By words and by meaning, whoever embeds it. This process only reads."""
    run("remember", file, "kettledrums")
    run("flush", file)
    assert texts(ours, "kettles") == ["kettledrums"]
    run("remember", file, "kettlesmith")
    assert set(texts(ours, "kettlesmith")) == {"kettlesmith", "kettledrums"}
    assert set(texts(ours, "kettles")) == {"kettledrums", "kettlesmith"}
    run("flush", file)
    assert set(texts(ours, "kettles")) == {"kettledrums", "kettlesmith"}


def test_what_one_process_ends_another_no_longer_recalls(
    file: Path, ours: erstwhile.Memory
) -> None:
    """Neither erased nor replaced facts, though their vectors were in the cache."""
    erased, replaced = ours.remember_many(["kettledrums", "kettlesmith"])
    ours.flush()
    assert len(texts(ours, "kettles")) == 2
    run("erase", file, erased.id)
    assert texts(ours, "kettles") == ["kettlesmith"]
    run("replace", file, replaced.id, "locksmith")
    assert texts(ours, "kettles") == texts(ours, "kettlesmith") == []
    assert texts(ours, "locksmith") == ["locksmith"]


def test_a_process_killed_while_it_embeds_loses_nothing(file: Path) -> None:
    """Stored facts are found by words, and the next process embeds them."""
    process = started("hang", file)
    assert process.stdout is not None
    assert process.stdout.readline() == "embedding\n"
    process.kill()
    process.communicate(timeout=60)
    later = FakeClock(datetime.now(UTC) + timedelta(minutes=2))
    with erstwhile.open(file, embedder=UnreliableEmbedder(), clock=later) as memory:
        assert texts(memory, "kettlesmith") == ["kettlesmith"]
        assert memory.flush().texts == 0, "the other had it for a minute, which is over"
        assert texts(memory, "kettles") == ["kettlesmith"]


def test_a_process_that_is_done_ends_though_its_embedder_hangs(file: Path) -> None:
    """The worker thread does not keep it alive."""
    process = started("leave", file)
    printed, complaints = process.communicate(timeout=300)
    assert (process.returncode, printed, complaints) == (0, "embedding\n", "")


def test_after_a_fork_both_go_on_embedding(file: Path) -> None:
    assert run("fork", file).splitlines() == ["child 0", "parent 0"]
    with erstwhile.open(file, embedder=UnreliableEmbedder()) as memory:
        assert set(texts(memory, "kettles")) == {"kettledrums", "kettlesmith", "kettles of fish"}


def texts(memory: erstwhile.Memory, query: str) -> list[str]:
    return [hit.fact.text for hit in memory.recall(query)]
