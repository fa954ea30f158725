"""Records from several threads, through several connections to one file: no count is lost."""

from __future__ import annotations

from collections.abc import Iterator
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


def test_no_repetition_of_a_lesson_is_lost(memories: list[erstwhile.Memory]) -> None:
    """The same rule from all threads is one lesson with all occurrences."""

    def learn(memory: erstwhile.Memory) -> None:
        for _ in range(ROUNDS):
            memory.lessons.add("code", "Run the tests")

    with ThreadPoolExecutor(WRITERS) as pool:
        list(pool.map(learn, memories))
    [lesson] = memories[0].lessons.list()
    assert lesson.occurrences == WRITERS * ROUNDS
    assert memories[0].audit.verify().ok


def test_the_limit_of_a_domain_holds(memories: list[erstwhile.Memory]) -> None:
    """Even if all threads add lessons at once."""

    def learn(numbered: tuple[int, erstwhile.Memory]) -> None:
        number, memory = numbered
        for round in range(ROUNDS):
            memory.lessons.add("code", f"rule {number} {round}")

    with ThreadPoolExecutor(WRITERS) as pool:
        list(pool.map(learn, enumerate(memories)))
    kept, dropped = (
        memories[0].lessons.list(deleted=deleted, limit=100) for deleted in (False, True)
    )
    assert len(kept) == MAX_LESSONS
    assert len(kept) + len(dropped) == WRITERS * ROUNDS
    assert memories[0].audit.verify().ok


def test_a_limitation_is_open_once(memories: list[erstwhile.Memory]) -> None:
    def report(memory: erstwhile.Memory) -> None:
        for _ in range(ROUNDS):
            memory.limitations.add("Cannot send mail")

    with ThreadPoolExecutor(WRITERS) as pool:
        list(pool.map(report, memories))
    [limitation] = memories[0].limitations.list()
    assert limitation.reports == WRITERS * ROUNDS


def test_each_stage_of_onboarding_is_given_to_one(memories: list[erstwhile.Memory]) -> None:
    memories[0].remember_many(["one", "two", "three"])
    with ThreadPoolExecutor(WRITERS) as pool:
        given = list(pool.map(lambda memory: memory.onboarding.next(), memories))
    stages = [stage for stage in given if stage is not None]
    assert sorted(stages) == ["first_fact", "three_facts", "welcome"]


def test_a_language_is_noticed_once(memories: list[erstwhile.Memory]) -> None:
    with ThreadPoolExecutor(WRITERS) as pool:
        list(
            pool.map(lambda m: m.profile.notice_language("어제 데이터베이스를 옮겼어요"), memories)
        )
    [fact] = memories[0].facts.list(key="language")
    assert (fact.text, fact.evidence) == ("ko", 1)


def test_every_call_of_a_model_is_counted(memories: list[erstwhile.Memory]) -> None:
    def record(memory: erstwhile.Memory) -> None:
        for _ in range(ROUNDS):
            memory.usage.record("x", input=3, cost="0.1")

    with ThreadPoolExecutor(WRITERS) as pool:
        list(pool.map(record, memories))
    [total] = memories[0].usage.summary()
    assert (total.calls, total.input) == (WRITERS * ROUNDS, 3 * WRITERS * ROUNDS)
    assert total.cost == WRITERS * ROUNDS // 10
