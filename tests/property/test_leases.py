"""Leases: one worker holds a task at a time, a lease ends, and completing needs its token.

The test keeps its own record of the holders. After any sequence of calls, the memory must agree.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

import erstwhile
from erstwhile import ConflictError
from erstwhile.types import TaskStatus
from tests.property.clock import TurnedClock

LEASE = timedelta(minutes=10)
picks = st.integers(0, 30)


class Leases(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.clock = TurnedClock()
        self.memory = erstwhile.open(":memory:", clock=self.clock, embedder="none")
        self.everything = self.memory.everything()
        self.tasks: list[str] = []
        self.claims: list[erstwhile.types.Claim] = []
        self.holding: dict[str, erstwhile.types.Claim] = {}
        """Who holds each task, by the second book: until finished, or taken by another."""
        self.completed: Counter[str] = Counter()

    def teardown(self) -> None:
        checked = self.everything.audit.verify()
        self.memory.close()
        assert checked.problems == ()

    @rule(
        user=st.sampled_from(["ana", "bob"]),
        hours=st.integers(-2, 2),
        recurrence=st.sampled_from([None, None, "daily", "FREQ=HOURLY;COUNT=3"]),
        retries=st.integers(0, 2),
    )
    def create(self, user: str, hours: int, recurrence: str | None, retries: int) -> None:
        made = self.memory.scoped(user=user).tasks.add(
            f"task {len(self.tasks)}",
            due=self.clock.now() + timedelta(hours=hours),
            recurrence=recurrence,
            retries=retries,
        )
        self.tasks.append(made.task.id)

    @rule(user=st.sampled_from([None, "ana", "bob"]), limit=st.integers(1, 3))
    def claim_due(self, user: str | None, limit: int) -> None:
        """Check that no worker gets a held task; a late worker may lose its task."""
        view = self.everything if user is None else self.memory.scoped(user=user)
        claims = view.tasks.claim_due("worker", limit, LEASE)
        assert len(claims) <= limit
        for claim in claims:
            held = self.holding.get(claim.task.id)
            assert held is None or held.expires_at <= claim.task.changed_at
            assert claim.task.due_at <= claim.task.changed_at
            self.note(claim)
        self.forget_what_was_given_up()

    @precondition(lambda self: self.tasks)
    @rule(pick=picks)
    def claim(self, pick: int) -> None:
        id = self.tasks[pick % len(self.tasks)]
        claim = self.attempt(lambda: self.everything.tasks.claim(id, "picky", LEASE))
        if claim is not None:
            held = self.holding.get(id)
            assert held is None or held.expires_at <= claim.task.changed_at
            self.note(claim)
        self.forget_what_was_given_up()

    @precondition(lambda self: self.claims)
    @rule(pick=picks)
    def heartbeat(self, pick: int) -> None:
        old = self.claims[pick % len(self.claims)]
        kept = self.with_token(
            old, lambda: self.everything.tasks.heartbeat(old.task.id, old.token, LEASE)
        )
        if kept is not None:
            self.holding[old.task.id] = kept

    @precondition(lambda self: self.claims)
    @rule(pick=picks, how=st.sampled_from(["complete", "fail", "release", "defer"]))
    def finish(self, pick: int, how: str) -> None:
        """Check that finishing needs the token of the current holder."""
        tasks, claim = self.everything.tasks, self.claims[pick % len(self.claims)]
        id, token = claim.task.id, claim.token
        if how == "complete" and self.completed[token]:
            before = tasks.get(id)
            assert tasks.complete(id, token) == before
            return
        acts: dict[str, Callable[[], Any]] = {
            "complete": lambda: tasks.complete(id, token),
            "fail": lambda: tasks.fail(id, token, "no"),
            "release": lambda: tasks.release(id, token),
            "defer": lambda: tasks.defer(id, "in 1 hour", token=token),
        }
        if self.with_token(claim, acts[how]) is not None:
            del self.holding[id]
            self.completed[token] += how == "complete"

    @precondition(lambda self: self.tasks)
    @rule(pick=picks)
    def cancel(self, pick: int) -> None:
        id = self.tasks[pick % len(self.tasks)]
        if self.attempt(lambda: self.everything.tasks.cancel(id)) is not None:
            self.holding.pop(id, None)

    @rule(minutes=st.sampled_from([-30, 1, 9, 10, 11, 90, 60 * 24]))
    def wait(self, minutes: int) -> None:
        """Move the clock, sometimes backwards."""
        self.clock.turn(timedelta(minutes=minutes))

    @invariant()
    def both_books_agree(self) -> None:
        for id in self.tasks:
            task = self.everything.tasks.get(id)
            running = [run for run in self.everything.tasks.runs(id) if run.status == "running"]
            held = self.holding.get(id)
            if held is None:
                assert task.status is not TaskStatus.CLAIMED
                assert (task.run, task.worker, task.lease_until, running) == (None, None, None, [])
            else:
                assert (task.status, task.lease_until) == (TaskStatus.CLAIMED, held.expires_at)
                assert [run.id for run in running] == [task.run]

    @invariant()
    def what_was_completed_is_recorded_once(self) -> None:
        runs = [run for id in self.tasks for run in self.everything.tasks.runs(id, limit=1_000)]
        assert sum(run.status == "completed" for run in runs) == self.completed.total()
        assert all(count == 1 for count in self.completed.values() if count)

    def with_token(self, claim: erstwhile.types.Claim, act: Callable[[], Any]) -> Any:
        held = self.holding.get(claim.task.id)
        made = self.attempt(act)
        assert (made is not None) == (held is not None and held.token == claim.token)
        return made

    def attempt(self, act: Callable[[], Any]) -> Any:
        """Call a verb; if it is refused, check that nothing changed."""
        before = self.newest_change()
        try:
            return act()
        except ConflictError:
            assert self.newest_change() == before
            return None

    def note(self, claim: erstwhile.types.Claim) -> None:
        assert claim.token not in {each.token for each in self.claims}
        assert claim.expires_at > claim.task.changed_at
        self.claims.append(claim)
        self.holding[claim.task.id] = claim

    def forget_what_was_given_up(self) -> None:
        """Forget the tasks whose lease ran out: a claim has freed or failed them."""
        for id, held in list(self.holding.items()):
            task = self.everything.tasks.get(id)
            if task.status is not TaskStatus.CLAIMED:
                assert held.expires_at <= task.changed_at
                assert "ran out" in str(task.last_error)
                del self.holding[id]

    def newest_change(self) -> datetime | None:
        entries = self.everything.audit.list(limit=1)
        return entries[0].at if entries else None


TestLeases = Leases.TestCase
TestLeases.settings = settings(max_examples=100, stateful_step_count=40)
