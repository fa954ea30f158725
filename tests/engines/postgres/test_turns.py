"""Locks of scopes, and the timestamps of changes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event
from typing import Any

import pytest

import erstwhile
from erstwhile.bootstrap import assemble
from erstwhile.core.ports import Session
from erstwhile.core.scope import Viewer
from erstwhile.core.time import SystemClock
from erstwhile.engines.postgres.engine import PostgresEngine
from erstwhile.engines.postgres.session import _lock
from erstwhile.facts.draft import draft
from erstwhile.facts.remember import remember
from erstwhile.memory import Memory
from erstwhile.storage.unit import Unit
from tests.contracts.base import texts
from tests.engines.postgres.conftest import Raw

PATIENCE = 60.0
WAITING = """SELECT COUNT(*) FROM pg_locks AS l
  WHERE l.locktype = 'advisory' AND NOT l.granted
    AND (l.classid::bigint << 32) | l.objid::bigint = ANY (%s)"""


@pytest.fixture
def memory(postgres: str, space: str) -> Iterator[Memory]:
    with assemble(PostgresEngine(postgres, space=space), SystemClock(), Viewer()) as memory:
        yield memory


@pytest.fixture
def others(postgres: str, space: str) -> Iterator[Memory]:
    """Open the memory again, with a short timeout."""
    impatient = PostgresEngine(postgres, space=space, busy_timeout=0.2)
    with assemble(impatient, SystemClock(), Viewer()) as memory:
        yield memory


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(4) as pool:
        yield pool


@contextmanager
def changing(memory: Memory, text: str, pool: ThreadPoolExecutor) -> Iterator[None]:
    """Keep `memory` inside a `remember` meanwhile."""
    inside, go_on, said = Event(), Event(), draft(text)

    def slowly(unit: Unit) -> None:
        remember(unit, said)
        inside.set()
        go_on.wait(PATIENCE)

    done = pool.submit(memory._access.change, slowly)
    try:
        assert inside.wait(PATIENCE)
        yield
    finally:
        go_on.set()
        done.result(PATIENCE)


def waits(raw: Raw, space: str, asked: Future[Any]) -> bool:
    """Return whether a transaction waits for a lock in this space."""
    deadline = time.monotonic() + PATIENCE
    turns = [_lock(space), _lock(space, "ana", "", "", "")]
    while not asked.done() and time.monotonic() < deadline:
        if raw.execute(WAITING, [turns]).fetchall() != [(0,)]:
            return True
    return False


def test_those_who_change_different_scopes_do_not_wait_for_each_other(
    memory: Memory, others: Memory, pool: ThreadPoolExecutor
) -> None:
    with changing(memory.scoped(user="ana"), "slow", pool):
        others.scoped(user="bob").remember("quick")
        assert others.scoped(user="bob").facts.count() == 1
        assert others.everything().facts.count() == 1
    assert others.everything().facts.count() == 2


CHANGES: dict[str, Callable[[Memory, erstwhile.Fact], object]] = {
    "the same scope": lambda memory, _: memory.scoped(user="ana").remember("late"),
    "an administrator": lambda memory, fact: memory.everything().facts.pin(fact.id),
    "an erasure": lambda memory, fact: memory.facts.erase(fact.id),
}


@pytest.mark.parametrize("change", CHANGES)
def test_the_others_wait_for_their_turn_and_not_for_ever(
    memory: Memory, others: Memory, pool: ThreadPoolExecutor, change: str
) -> None:
    """Nothing of the refused changes is stored."""
    fact = memory.remember("shared")
    with changing(memory.scoped(user="ana"), "slow", pool), pytest.raises(erstwhile.BusyError):
        CHANGES[change](others, fact)
    assert texts(memory.everything().facts.list()) == ["slow", "shared"]
    CHANGES[change](others, fact)
    assert memory.everything().audit.verify().ok


def test_a_question_about_the_present_waits_for_nobody(
    memory: Memory, others: Memory, pool: ThreadPoolExecutor
) -> None:
    ana = memory.scoped(user="ana")
    with changing(ana, "slow", pool):
        assert texts(others.scoped(user="ana").facts.list()) == []


def test_an_answer_about_the_past_waits_for_those_who_are_writing_it(
    memory: Memory, pool: ThreadPoolExecutor, raw: Raw, space: str
) -> None:
    """The change began before the question, so the answer has it."""
    ana, bob = memory.scoped(user="ana"), memory.scoped(user="bob")
    first = bob.remember("first")
    with changing(ana, "slow", pool):
        now = SystemClock().now()
        asked = pool.submit(memory.everything().facts.list, known_at=now)
        assert waits(raw, space, asked)
    answer = texts(asked.result(PATIENCE))
    assert answer == ["slow", "first"]
    bob.remember("later")
    assert texts(memory.everything().facts.list(known_at=now)) == answer
    assert texts(memory.everything().facts.list(known_at=first.recorded_at)) == ["first"]


def test_a_stamp_is_read_when_it_is_one_s_turn(
    memory: Memory, pool: ThreadPoolExecutor, raw: Raw, space: str
) -> None:
    """A change that waited has a later timestamp than those it waited for."""
    ana = memory.scoped(user="ana")
    with changing(ana, "slow", pool):
        waiting = pool.submit(ana.remember, "after")
        assert waits(raw, space, waiting)
        asked_at = SystemClock().now()
    after = waiting.result(PATIENCE)
    [slow] = [fact for fact in ana.facts.list() if fact.text == "slow"]
    assert slow.recorded_at < asked_at < after.recorded_at


def test_a_move_waits_for_both_of_its_scopes(
    memory: Memory, others: Memory, pool: ThreadPoolExecutor, raw: Raw, space: str
) -> None:
    """And is stamped later than what it waited for, so that each chain stays in order."""
    ana = memory.scoped(user="ana")
    shop = ana.scoped(project="shop")
    fact = shop.remember("tea")
    with changing(ana, "slow", pool):
        with pytest.raises(erstwhile.BusyError):
            others.scoped(user="ana", project="shop").facts.move(fact.id, to="user")
        waiting = pool.submit(shop.facts.move, fact.id, to="user")
        assert waits(raw, space, waiting)
        asked_at = SystemClock().now()
    moved = waiting.result(PATIENCE)
    [slow] = [fact for fact in ana.facts.list() if fact.text == "slow"]
    assert slow.recorded_at < asked_at
    assert slow.recorded_at < moved.known_from
    assert memory.everything().audit.verify().ok


def test_moves_to_and_fro_never_wait_for_each_other_for_ever(
    memory: Memory, pool: ThreadPoolExecutor
) -> None:
    """Narrow scopes are locked first, whatever the way of a fact."""
    ana = memory.scoped(user="ana")
    shops = [ana.scoped(project="shop", session=name) for name in ("a", "b")]

    def moving(shop: Memory) -> None:
        fact = shop.remember(f"tea of {shop.scope.session}")
        for to in ("user", "project", "shared", ["user", "project"], "user") * 3:
            fact = shop.facts.move(fact.id, to=to)
            shop.remember("busy")
            shop.facts.undo(fact.id)
            fact = shop.facts.get(fact.supersedes[0])

    def writing(view: Memory) -> None:
        for number in range(30):
            view.remember(f"{view.scope} {number}")

    made = [pool.submit(moving, shop) for shop in shops]
    made += [pool.submit(writing, view) for view in (ana, memory)]
    for each in made:
        each.result(PATIENCE)
    assert memory.everything().audit.verify().ok


def test_two_that_are_in_each_other_s_way_are_both_done(engine: PostgresEngine) -> None:
    """The server breaks a deadlock; the chosen transaction is retried."""
    both = [Event(), Event()]

    def crossing(first: int) -> Callable[[Session], int]:
        def work(session: Session) -> int:
            lock = "SELECT pg_advisory_xact_lock(hashtextextended(:space, :number))"
            session.rows(lock, {"space": engine.space, "number": first})
            both[first].set()
            both[1 - first].wait(PATIENCE)
            session.rows(lock, {"space": engine.space, "number": 1 - first})
            return first

        return work

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(lambda first: engine.write(crossing(first)), (0, 1))) == [0, 1]


def failing(code: str) -> str:
    return f"DO $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '{code}'; END $$"


@pytest.mark.parametrize("code", ["40001", "40P01"])
def test_what_passes_is_tried_again(engine: PostgresEngine, code: str) -> None:
    attempts: list[int] = []

    def work(session: Session) -> str:
        attempts.append(len(attempts))
        if len(attempts) < 4:
            session.run(failing(code), {})
        return "done"

    assert engine.write(work) == "done"
    assert len(attempts) == 4


def test_what_does_not_pass_is_said_to_be_busy(postgres: str, space: str) -> None:
    engine = PostgresEngine(postgres, space=space, busy_timeout=0.1)
    with pytest.raises(erstwhile.BusyError):
        engine.write(lambda session: session.run(failing("40001"), {}))
    engine.close()


def test_a_statement_that_takes_too_long_is_stopped(postgres: str, space: str) -> None:
    engine = PostgresEngine(postgres, space=space, statement_timeout=0.1)
    for run in (engine.read, engine.write):
        with pytest.raises(erstwhile.BusyError, match="too long"):
            run(lambda session: session.rows("SELECT pg_sleep(60)", {}))
    assert engine.read(lambda session: session.rows("SELECT 1", {})) == [(1,)]
    engine.close()


def test_whoever_finds_all_connections_in_use_waits_and_not_for_ever(
    postgres: str, space: str, pool: ThreadPoolExecutor
) -> None:
    engine = PostgresEngine(postgres, space=space, connections=1, busy_timeout=0.2)
    inside, go_on = Event(), Event()

    def slow(_: Session) -> None:
        inside.set()
        go_on.wait(PATIENCE)

    reading = pool.submit(engine.read, slow)
    assert inside.wait(PATIENCE)
    with pytest.raises(erstwhile.BusyError, match="all 1 connections"):
        engine.read(lambda session: session.rows("SELECT 1", {}))
    go_on.set()
    reading.result(PATIENCE)
    assert engine.read(lambda session: session.rows("SELECT 1", {})) == [(1,)]
    engine.close()


def test_a_writer_that_vanished_does_not_hold_the_others_up(
    engine: PostgresEngine,
) -> None:
    """The server ends an idle transaction."""
    [(limit,)] = engine.write(
        lambda session: session.rows("SHOW idle_in_transaction_session_timeout", {})
    )
    assert limit == "1min"
