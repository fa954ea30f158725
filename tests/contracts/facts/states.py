"""The SQL and `Fact.state` agree on the state of every fact."""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import product

from erstwhile.core.kinds import State
from erstwhile.core.ports import Engine, Session
from erstwhile.core.time import FOREVER, to_micros
from erstwhile.memory import Memory
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import Contract

_MOVE = """UPDATE facts SET valid_from = :valid_from, valid_to = :valid_to,
  expires_at = :expires_at, trust = :trust, deleted_at = :deleted_at
WHERE space = :space AND id = :id"""


class StatesContract(Contract):
    def test_the_store_and_the_model_agree_on_every_order_of_times(
        self, memory: Memory, engine: Engine, clock: FakeClock
    ) -> None:
        """Beginning, end and expiry in every order, trusted or not, deleted or not."""
        now = clock.now()
        days = [now + timedelta(days=number) for number in range(-2, 3)]
        ends = [*days[::2], FOREVER]
        lives = list(product(days, ends, ends, ("trusted", "quarantined"), (None, now)))
        facts = memory.remember_many([f"fact {number}" for number in range(len(lives))])

        def move(session: Session) -> None:
            for fact, (valid_from, valid_to, expires_at, trust, deleted_at) in zip(
                facts, lives, strict=True
            ):
                times = {"valid_from": valid_from, "valid_to": valid_to, "expires_at": expires_at}
                session.run(
                    _MOVE,
                    {
                        **{name: to_micros(time) for name, time in times.items()},
                        "trust": trust,
                        "deleted_at": None if deleted_at is None else to_micros(deleted_at),
                        "space": engine.space,
                        "id": fact.id,
                    },
                )

        engine.write(move)
        moments = [*days, *(day + timedelta(hours=1) for day in days)]
        for moment in moments:
            self._check(memory, moment, len(lives))

    def _check(self, memory: Memory, moment: datetime, total: int) -> None:
        there = memory.facts.list(state="any", as_of=moment, limit=1_000)
        deleted = memory.facts.list(deleted=True, as_of=moment, limit=1_000)
        facts = [*there, *deleted]
        assert len({fact.id for fact in facts}) == total
        assert {fact.state(moment) for fact in deleted} <= {State.DELETED}
        for state in set(State) - {State.ANY, State.DELETED}:
            listed = memory.facts.list(state=state, as_of=moment, limit=1_000)
            expected = {fact.id for fact in facts if fact.state(moment) is state}
            assert {fact.id for fact in listed} == expected
            assert memory.facts.count(state=state, as_of=moment) == len(expected)
