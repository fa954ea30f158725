"""Many processes on one file."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

import erstwhile
from tests.engines.processes import outcome, together


@pytest.mark.parametrize("synchronous", ["NORMAL", "FULL"])
def test_four_processes_write_500_facts_each_and_nothing_is_lost(
    tmp_path: Path, synchronous: str
) -> None:
    """There is no lock error, every acknowledged id exists once, and the trail is valid."""
    file = tmp_path / "memory.db"
    texts = [f"process {each} says {{n}}" for each in range(4)]
    printed = together("remember", *((file, synchronous, 500, text) for text in texts))
    ids = [id for lines in printed for id in lines]
    with erstwhile.open(file) as memory:
        assert len(ids) == len(set(ids)) == 2_000
        assert memory.facts.count() == 2_000
        assert {memory.facts.get(id).id for id in ids[::50]} == set(ids[::50])
        checked = memory.audit.verify()
        assert checked.ok, checked.problems
        assert checked.entries == checked.records == 2_000


def test_verbatim_repeats_from_four_processes_are_one_fact_with_all_their_evidence(
    tmp_path: Path,
) -> None:
    """All processes add to one fact."""
    file = tmp_path / "memory.db"
    spelt = ("The sky is blue", "the sky  is BLUE", "THE SKY IS BLUE", "the sky is blue")
    printed = together("remember", *((file, "NORMAL", 50, text) for text in spelt))
    with erstwhile.open(file) as memory:
        [fact] = memory.facts.list(state="any")
        assert {id for lines in printed for id in lines} == {fact.id}
        assert fact.evidence == 200
        assert len(memory.facts.history(fact.id)) == 200
        assert memory.audit.verify().ok


@pytest.mark.parametrize("count", [2, 8])
def test_processes_that_open_a_new_file_at_once_all_succeed(tmp_path: Path, count: int) -> None:
    """Each migration is applied once."""
    file = tmp_path / "memory.db"
    printed = together("open_file", *((file, f"from {each}") for each in range(count)))
    with erstwhile.open(file) as memory:
        assert printed == [[str(memory.stats().schema)]] * count
        assert memory.facts.count() == count
        assert memory.audit.verify().ok


def test_no_round_of_a_race_to_open_a_new_file_is_lost_by_anyone(tmp_path: Path) -> None:
    """The processes start at one moment, to hit very small time windows."""
    assert outcome("race_to_open", tmp_path, 15, 6) == []


def test_processes_that_talk_on_one_channel_at_once_share_one_conversation(tmp_path: Path) -> None:
    """Each exchange stays together, and none is lost."""
    file = tmp_path / "memory.db"
    printed = together("hold_conversation", *((file, 20) for _ in range(4)))
    with erstwhile.open(file) as memory:
        chats = memory.scoped(user="ana").conversations
        [one] = chats.list()
        assert {id for lines in printed for id in lines} == {one.id}
        said = [message.content for message in chats.messages(one.id, limit=1_000)]
        assert one.messages == len(said) == 4 * 20 * 2
        assert said[1::2] == [question.replace("q", "a") for question in said[::2]]
        assert memory.everything().audit.verify().ok


def test_concurrent_editors_of_a_block_lose_no_edit(tmp_path: Path) -> None:
    """Each edit of four processes is stored or gets a conflict; none is overwritten."""
    file, settings = tmp_path / "memory.db", erstwhile.Settings(tokenizer="estimate")
    with erstwhile.open(file, settings=settings) as memory:
        memory.blocks.add("shared", "begin", limit_tokens=100_000)
        printed = together("edit_block", *((file, 50, word) for word in ("a", "b", "c", "d")))
        landed = [line for lines in printed for line in lines]
        block = memory.blocks.get("shared")
        assert sorted(block.content.split("\n")) == sorted(["begin", *landed])
        assert block.version == 1 + len(landed)
        assert len(landed) >= 100  # every append, whatever came of the guarded ones
        history = memory.blocks.history("shared", limit=1_000)
        assert [step.version for step in history] == list(range(block.version, 0, -1))
        assert all(step.old == older.new for step, older in pairwise(history))
        assert memory.audit.verify().ok
