"""Records from several threads, through several connections to one file: no count is lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest

import erstwhile
from erstwhile.records.model import MAX_LESSONS

WRITERS, ROUNDS = 8, 10


@pytest.fixture
def memories(tmp_path: Path) -> Iterator[list[erstwhile.Memory]]:
    """Open four memories on one file, as four processes would; two threads use each."""
    with ExitStack() as stack:
        opened = [
            stack.enter_context(erstwhile.open(tmp_path / "memory.db", embedder="none"))
            for _ in range(WRITERS // 2)
        ]
        yield [memory.scoped(user="ana") for memory in opened * 2]


def rounds(
    memories: list[erstwhile.Memory],
    work: Callable[[erstwhile.Memory, str], object],
    times: int = ROUNDS,
) -> list[object]:
    """Do the work several times in each thread, with another text each time."""

    def several(numbered: tuple[int, erstwhile.Memory]) -> list[object]:
        number, memory = numbered
        return [work(memory, f"text {number} {round}") for round in range(times)]

    with ThreadPoolExecutor(WRITERS) as pool:
        return [done for each in pool.map(several, enumerate(memories)) for done in each]


def test_no_repetition_of_a_lesson_is_lost(memories: list[erstwhile.Memory]) -> None:
    """The same rule from all threads is one lesson with all occurrences."""
    rounds(memories, lambda memory, _: memory.lessons.add("code", "Run the tests"))
    [lesson] = memories[0].lessons.list()
    assert lesson.occurrences == WRITERS * ROUNDS
    assert memories[0].audit.verify().ok


def test_the_limit_of_a_domain_holds(memories: list[erstwhile.Memory]) -> None:
    """Even if all threads add lessons at once."""
    rounds(memories, lambda memory, text: memory.lessons.add("code", text))
    kept, dropped = (
        memories[0].lessons.list(deleted=deleted, limit=100) for deleted in (False, True)
    )
    assert len(kept) == MAX_LESSONS
    assert len(kept) + len(dropped) == WRITERS * ROUNDS
    assert memories[0].audit.verify().ok


def test_a_limitation_is_open_once(memories: list[erstwhile.Memory]) -> None:
    rounds(memories, lambda memory, _: memory.limitations.add("Cannot send mail"))
    [limitation] = memories[0].limitations.list()
    assert limitation.reports == WRITERS * ROUNDS


def test_each_stage_of_onboarding_is_given_to_one(memories: list[erstwhile.Memory]) -> None:
    memories[0].remember_many(["one", "two", "three"])
    given = rounds(memories, lambda memory, _: memory.onboarding.next(), times=1)
    assert sorted(str(stage) for stage in given if stage) == [
        "first_fact",
        "three_facts",
        "welcome",
    ]


def test_a_language_is_noticed_once(memories: list[erstwhile.Memory]) -> None:
    said = "어제 데이터베이스를 옮겼어요"
    rounds(memories, lambda memory, _: memory.profile.notice_language(said), times=1)
    [fact] = memories[0].facts.list(key="language")
    assert (fact.text, fact.evidence) == ("ko", 1)


def test_every_call_of_a_model_is_counted(memories: list[erstwhile.Memory]) -> None:
    rounds(memories, lambda memory, _: memory.usage.record("x", input=3, cost="0.1"))
    [total] = memories[0].usage.summary()
    assert (total.calls, total.input) == (WRITERS * ROUNDS, 3 * WRITERS * ROUNDS)
    assert total.cost == WRITERS * ROUNDS // 10
