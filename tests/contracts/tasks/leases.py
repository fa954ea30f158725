"""Leases: one worker at a time, no task lost or done twice, every attempt recorded."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from erstwhile.core.errors import ConflictError, InvalidInputError
from erstwhile.memory import Memory
from erstwhile.tasks.task import Claim
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import Contract, input_check, unchanged


def only(claims: list[Claim]) -> Claim:
    [claim] = claims
    return claim


class ClaimingContract(Contract):
    def test_a_due_task_goes_to_one_worker(self, memory: Memory, clock: FakeClock) -> None:
        for hours in (3, 1, 2):
            memory.tasks.add(f"t{hours}", due=f"in {hours} hours")
        assert memory.tasks.claim_due("w") == []
        clock.advance(hours=2)
        first = only(memory.tasks.claim_due("w1"))
        second = only(memory.tasks.claim_due("w2", limit=9))
        assert [claim.task.description for claim in (first, second)] == ["t1", "t2"]
        assert memory.tasks.claim_due("w3") == []
        assert (first.task.status, first.task.worker, first.task.attempts) == ("claimed", "w1", 1)
        assert (
            first.expires_at
            == first.task.lease_until
            == first.task.changed_at + timedelta(minutes=5)
        )
        assert first.token != second.token

    def test_a_worker_claims_one_task_by_default(self, memory: Memory) -> None:
        for name in "abc":
            memory.tasks.add(name)
        assert len(memory.tasks.claim_due("w")) == 1
        assert len(memory.tasks.claim_due("w", limit=2)) == 2
        memory.tasks.add("tell")
        act = memory.tasks.add("act", type="action").task
        claims = memory.tasks.claim_due("w", limit=9, type="action")
        assert [claim.task.id for claim in claims] == [act.id]

    def test_an_administrator_works_for_all_and_others_for_themselves(self, memory: Memory) -> None:
        ana = memory.scoped(user="ana")
        hers, shared = ana.tasks.add("hers").task, memory.tasks.add("shared").task
        assert memory.scoped(user="bob").tasks.claim_due("bob", limit=9) == []
        assert [claim.task.id for claim in ana.tasks.claim_due("w", limit=9)] == [hers.id]
        daemon = memory.everything().tasks
        assert [claim.task.id for claim in daemon.claim_due("d", limit=9)] == [shared.id]

    @input_check
    @pytest.mark.parametrize(
        "wrong",
        [
            {"worker": ""}, {"worker": "a\nb"}, {"limit": 0}, {"limit": 1_001}, {"lease": "soon"},
            {"lease": "0 minutes"}, {"lease": "8 days"}, {"lease": timedelta(-1)}, {"type": "x"},
        ],
        ids=str,
    )  # fmt: skip
    def test_a_wrong_claim_takes_nothing(self, memory: Memory, wrong: Any) -> None:
        memory.tasks.add("a")
        with unchanged(memory), pytest.raises(InvalidInputError):
            memory.tasks.claim_due(**{"worker": "w", **wrong})

    def test_a_task_can_be_claimed_by_id_before_it_is_due(self, memory: Memory) -> None:
        task = memory.tasks.add("a", due="in 1 day").task
        claim = memory.tasks.claim(task.id, "w1", "1 hour")
        with unchanged(memory), pytest.raises(ConflictError, match="held by w1"):
            memory.tasks.claim(task.id, "w2")
        assert memory.tasks.complete(task.id, claim.token).status == "done"

    def test_releasing_a_task_is_no_attempt(self, memory: Memory) -> None:
        memory.tasks.add("a", retries=0)
        claim = only(memory.tasks.claim_due("w1"))
        free = memory.tasks.release(claim.task.id, claim.token)
        assert (free.status, free.attempts, free.worker) == ("pending", 0, None)
        again = only(memory.tasks.claim_due("w2"))
        assert again.task.attempts == 1
        assert statuses(memory, claim) == ["running", "released"]

    def test_the_holder_of_a_task_may_defer_it(self, memory: Memory, clock: FakeClock) -> None:
        memory.tasks.add("a")
        claim = only(memory.tasks.claim_due("w"))
        with unchanged(memory), pytest.raises(ConflictError, match="held"):
            memory.tasks.defer(claim.task.id, "in 1 hour")
        later = memory.tasks.defer(claim.task.id, "in 1 hour", token=claim.token)
        assert (later.status, later.attempts) == ("pending", 0)
        assert memory.tasks.claim_due("w") == []
        clock.set(later.due_at)
        assert len(memory.tasks.claim_due("w")) == 1

    def test_a_held_task_is_not_changed_but_can_be_cancelled(self, memory: Memory) -> None:
        memory.tasks.add("a", recurrence="daily")
        claim = only(memory.tasks.claim_due("w"))
        with unchanged(memory), pytest.raises(ConflictError, match="held by w"):
            memory.tasks.update(claim.task.id, description="b")
        assert memory.tasks.cancel(claim.task.id).status == "cancelled"
        for word in (
            lambda: memory.tasks.heartbeat(claim.task.id, claim.token),
            lambda: memory.tasks.complete(claim.task.id, claim.token),
            lambda: memory.tasks.fail(claim.task.id, claim.token, "no"),
            lambda: memory.tasks.release(claim.task.id, claim.token),
        ):
            with unchanged(memory), pytest.raises(ConflictError, match="cancelled"):
                word()
        assert statuses(memory, claim) == ["cancelled"]


class LeaseContract(Contract):
    def test_a_lease_that_ran_out_frees_the_task(self, memory: Memory, clock: FakeClock) -> None:
        memory.tasks.add("a")
        lost = only(memory.tasks.claim_due("w1", lease="10 minutes"))
        clock.set(lost.expires_at - timedelta(microseconds=1))
        assert memory.tasks.claim_due("w2") == []
        clock.set(lost.expires_at)
        found = only(memory.tasks.claim_due("w2"))
        assert (found.task.id, found.task.worker, found.task.attempts) == (lost.task.id, "w2", 2)
        assert "w1" in str(found.task.last_error)
        assert statuses(memory, lost) == ["running", "expired"]

    def test_a_heartbeat_keeps_the_task(self, memory: Memory, clock: FakeClock) -> None:
        memory.tasks.add("a")
        claim = only(memory.tasks.claim_due("w1", lease="10 minutes"))
        for _ in range(5):
            clock.advance(minutes=9)
            kept = memory.tasks.heartbeat(claim.task.id, claim.token, "10 minutes")
            assert kept.expires_at == kept.task.changed_at + timedelta(minutes=10)
            assert memory.tasks.claim_due("w2") == []
        assert memory.tasks.complete(claim.task.id, claim.token).status == "done"

    def test_only_token_of_present_holder_counts(self, memory: Memory, clock: FakeClock) -> None:
        memory.tasks.add("a")
        lost = only(memory.tasks.claim_due("w1"))
        clock.advance(minutes=6)
        held = only(memory.tasks.claim_due("w2"))
        other = memory.tasks.add("b", due="in 1 day").task
        foreign = memory.tasks.claim(other.id, "w3").token
        for token in (lost.token, foreign, "guessed", f"{held.token}0"):
            for word in (
                lambda token: memory.tasks.heartbeat(held.task.id, token),
                lambda token: memory.tasks.complete(held.task.id, token),
                lambda token: memory.tasks.fail(held.task.id, token, "no"),
                lambda token: memory.tasks.release(held.task.id, token),
                lambda token: memory.tasks.defer(held.task.id, "in 1 day", token=token),
            ):
                with unchanged(memory), pytest.raises(ConflictError):
                    word(token)
        assert memory.tasks.complete(held.task.id, held.token).status == "done"

    def test_a_late_worker_may_still_finish(self, memory: Memory, clock: FakeClock) -> None:
        memory.tasks.add("a")
        claim = only(memory.tasks.claim_due("w1"))
        clock.advance(hours=5)
        assert memory.tasks.complete(claim.task.id, claim.token).status == "done"
        assert memory.tasks.claim_due("w2") == []

    def test_completing_a_task_twice_changes_nothing(self, memory: Memory) -> None:
        for rhythm in (None, "daily"):
            made = memory.tasks.add("a", recurrence=rhythm).task
            claim = only(memory.tasks.claim_due("w"))
            done = memory.tasks.complete(made.id, claim.token, result="sent")
            with unchanged(memory):
                assert memory.tasks.complete(made.id, claim.token, result="again") == done
            assert [run.result for run in memory.tasks.runs(made.id)] == ["sent"]
            with unchanged(memory), pytest.raises(ConflictError):
                memory.tasks.fail(made.id, claim.token, "no")

    def test_a_task_that_nobody_holds_cannot_be_completed(self, memory: Memory) -> None:
        made = memory.tasks.add("a").task
        with unchanged(memory), pytest.raises(ConflictError, match="does not hold"):
            memory.tasks.complete(made.id, "anything")
        for blank in ("", " ", None):
            with unchanged(memory), pytest.raises(InvalidInputError):
                memory.tasks.complete(made.id, blank)  # type: ignore[arg-type]

    def test_task_whose_workers_die_fails_in_end(self, memory: Memory, clock: FakeClock) -> None:
        made = memory.tasks.add("poison", retries=2).task
        for attempt in (1, 2, 3):
            assert only(memory.tasks.claim_due("w")).task.attempts == attempt
            clock.advance(hours=1)
        assert memory.tasks.claim_due("w") == []
        assert memory.tasks.get(made.id).status == "failed"

    def test_a_freed_task_is_claimed_first_again(self, memory: Memory, clock: FakeClock) -> None:
        first = memory.tasks.add("first").task
        clock.advance(minutes=1)
        memory.tasks.claim_due("w1")
        memory.tasks.add("second")
        clock.advance(minutes=30)
        assert only(memory.tasks.claim_due("w2")).task.id == first.id


def statuses(memory: Memory, claim: Claim) -> list[str]:
    return [str(run.status) for run in memory.tasks.runs(claim.task.id)]
