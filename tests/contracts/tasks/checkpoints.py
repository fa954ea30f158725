"""Checkpoints: a run resumes where it stopped, and keeps the output of each phase."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from erstwhile.core.errors import (
    ConflictError,
    InvalidInputError,
    NotFoundError,
    ScopeError,
    TooLargeError,
)
from erstwhile.memory import Memory
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import Contract, input_check, paged, unchanged

PHASES = ("gather", "write", "check")


class CheckpointsContract(Contract):
    @pytest.fixture
    def run(self, memory: Memory) -> str:
        memory.checkpoints.plan("run 1", *PHASES)
        return "run 1"

    def test_phases_stay_in_the_order_in_which_they_were_named(self, memory: Memory) -> None:
        planned = memory.checkpoints.plan("r", "c", "a", "b")
        assert [each.phase for each in planned] == ["c", "a", "b"]
        memory.checkpoints.start("r", "b")
        memory.checkpoints.start("r", "0 unplanned")
        memory.checkpoints.plan("r", "a", "c", "d", "d")
        listed = memory.checkpoints.list("r")
        assert [each.phase for each in listed] == ["c", "a", "b", "0 unplanned", "d"]
        assert [each.position for each in listed] == [1, 2, 3, 4, 5]
        states = ["pending", "pending", "in_progress", "in_progress", "pending"]
        assert [str(each.status) for each in listed] == states

    def test_a_run_resumes_at_the_first_open_phase(self, memory: Memory, run: str) -> None:
        checkpoints = memory.checkpoints
        checkpoints.start(run, "gather")
        checkpoints.complete(run, "gather", "3 sources")
        checkpoints.start(run, "write")
        checkpoints.save(run, "write", "half a page")
        here = checkpoints.resume(run)
        assert here is not None
        assert (here.phase, here.status, here.attempts) == ("write", "in_progress", 1)
        assert here.output == "half a page"
        assert checkpoints.start(run, "write").attempts == 2
        for phase in ("write", "check"):
            checkpoints.start(run, phase)
            checkpoints.complete(run, phase)
        assert checkpoints.resume(run) is None

    def test_update_without_output_keeps_one_that_is_there(self, memory: Memory, run: str) -> None:
        checkpoints = memory.checkpoints
        checkpoints.start(run, "write")
        checkpoints.save(run, "write", "draft")
        failed = checkpoints.fail(run, "write", "out of tokens")
        assert (failed.status, failed.output, failed.error) == ("failed", "draft", "out of tokens")
        again = checkpoints.start(run, "write")
        assert (again.attempts, again.output, again.error) == (2, "draft", "out of tokens")
        done = checkpoints.complete(run, "write")
        assert (done.status, done.output, done.error) == ("completed", "draft", None)
        assert checkpoints.get(run, "write") == done

    @pytest.mark.parametrize(
        ("before", "step"),
        [
            ("pending", "save"), ("pending", "complete"), ("pending", "fail"),
            ("completed", "start"), ("completed", "save"), ("completed", "fail"),
            ("failed", "save"), ("failed", "complete"), ("failed", "fail"),
        ],
    )  # fmt: skip
    def test_an_illegal_transition_of_a_phase_is_refused(
        self, memory: Memory, run: str, before: str, step: str
    ) -> None:
        steps: Any = {
            "start": lambda: memory.checkpoints.start(run, "write"),
            "save": lambda: memory.checkpoints.save(run, "write", "x"),
            "complete": lambda: memory.checkpoints.complete(run, "write", "x"),
            "fail": lambda: memory.checkpoints.fail(run, "write", "x"),
        }
        for way in {"pending": (), "completed": ("start", "complete"), "failed": ("start", "fail")}[
            before
        ]:
            steps[way]()
        with unchanged(memory), pytest.raises(ConflictError, match=f"is {before}"):
            steps[step]()

    def test_a_phase_is_recorded_in_one_step(self, memory: Memory, run: str) -> None:
        checkpoints = memory.checkpoints
        first = checkpoints.record(run, "write", "a page")
        assert (first.status, first.output, first.attempts) == ("completed", "a page", 0)
        assert checkpoints.record(run, "write", "a page") == first
        assert checkpoints.record(run, "write", "two pages").output == "two pages"
        new = checkpoints.record("run 2", "unplanned", "done")
        assert (new.status, new.attempts) == ("completed", 1)
        checkpoints.start(run, "gather")
        checkpoints.fail(run, "gather", "no network")
        assert checkpoints.record(run, "gather", "7 sources").error is None

    def test_completing_a_phase_twice_changes_nothing(self, memory: Memory, run: str) -> None:
        memory.checkpoints.start(run, "write")
        done = memory.checkpoints.complete(run, "write", "the end")
        with unchanged(memory):
            assert memory.checkpoints.complete(run, "write", "the end") == done
            assert memory.checkpoints.complete(run, "write") == done
        with unchanged(memory), pytest.raises(ConflictError, match="is completed"):
            memory.checkpoints.complete(run, "write", "another end")

    def test_an_unknown_name_or_id_is_not_found(self, memory: Memory, run: str) -> None:
        for ask in (memory.checkpoints.list, memory.checkpoints.resume, memory.checkpoints.delete):
            with unchanged(memory), pytest.raises(NotFoundError, match="no run"):
                ask("another run")
        with unchanged(memory), pytest.raises(NotFoundError, match="gather, write, check"):
            memory.checkpoints.complete(run, "sing")

    @input_check
    @pytest.mark.parametrize("wrong", ["", "  ", "a\nb", None, 7, "x" * 201])
    def test_names_are_checked(self, memory: Memory, run: str, wrong: Any) -> None:
        for verb in (
            lambda: memory.checkpoints.plan(wrong, "a"),
            lambda: memory.checkpoints.plan(run, wrong),
            lambda: memory.checkpoints.start(run, wrong),
            lambda: memory.checkpoints.list(wrong),
            lambda: memory.checkpoints.erase(wrong),
        ):
            with unchanged(memory), pytest.raises(InvalidInputError):
                verb()
        with unchanged(memory), pytest.raises(InvalidInputError, match="no phase"):
            memory.checkpoints.plan(run)

    @input_check
    def test_texts_are_checked(self, memory: Memory, run: str) -> None:
        memory.checkpoints.start(run, "write")
        with unchanged(memory), pytest.raises(InvalidInputError):
            memory.checkpoints.save(run, "write", "")
        with unchanged(memory), pytest.raises(TooLargeError):
            memory.checkpoints.complete(run, "write", "x" * 1_000_001)

    def test_runs_are_listed_with_how_far_they_have_come(self, memory: Memory, run: str) -> None:
        memory.checkpoints.start("run 2", "only")
        memory.checkpoints.complete("run 2", "only")
        memory.checkpoints.start(run, "gather")
        first, second = memory.checkpoints.runs()
        assert [(each.run, each.completed, each.phases) for each in (first, second)] == [
            ("run 1", 0, 3), ("run 2", 1, 1),
        ]  # fmt: skip
        assert [first.done, second.done] == [False, True]
        assert list(memory.checkpoints.runs(unfinished=True)) == [first]
        for name in ("run 3", "run 4", "run 5"):
            memory.checkpoints.plan(name, "a")
        ana = memory.scoped(user="ana")
        ana.checkpoints.plan("run 3", "a")
        names = ["run 1", "run 2", "run 3", "run 3", "run 4", "run 5"]
        assert [each.run for each in paged(ana.checkpoints.runs)] == names
        for wrong in ("x", "1", "1.", ".a"):
            with pytest.raises(InvalidInputError):
                memory.checkpoints.runs(cursor=wrong)


class RunScopesContract(Contract):
    def test_runs_are_found_by_how_their_names_begin(self, memory: Memory) -> None:
        for name in ("a_1", "a_2", "ab", "a%", "A_3"):
            memory.checkpoints.record(name, "p", "x")
        found = [each.run for each in memory.checkpoints.runs(prefix="a_")]
        assert found == ["a_1", "a_2"]
        pages = paged(partial(memory.checkpoints.runs, prefix="a"))
        assert [each.run for each in pages] == ["a%", "a_1", "a_2", "ab"]

    def test_a_run_belongs_to_one_scope(self, memory: Memory) -> None:
        ana = memory.scoped(user="ana")
        memory.checkpoints.plan("deploy", "shared")
        assert [each.phase for each in ana.checkpoints.list("deploy")] == ["shared"]
        ana.checkpoints.plan("deploy", "hers")
        assert [each.phase for each in ana.checkpoints.list("deploy")] == ["hers"]
        assert [each.phase for each in memory.checkpoints.list("deploy")] == ["shared"]
        assert len(ana.checkpoints.runs()) == 2

    def test_a_visible_record_of_another_scope_cannot_be_changed(self, memory: Memory) -> None:
        ana = memory.scoped(user="ana")
        memory.checkpoints.start("deploy", "build")
        for change in (
            lambda: ana.checkpoints.complete("deploy", "build"),
            lambda: ana.checkpoints.delete("deploy"),
            lambda: ana.checkpoints.erase("deploy"),
        ):
            with unchanged(memory), pytest.raises(ScopeError):
                change()

    def test_an_administrator_names_no_run_that_several_have(self, memory: Memory) -> None:
        everything = memory.everything()
        with unchanged(memory), pytest.raises(ScopeError):
            everything.checkpoints.start("deploy", "build")
        for user in ("ana", "bob"):
            memory.scoped(user=user).checkpoints.start("deploy", "build")
        for verb in (everything.checkpoints.list, everything.checkpoints.delete):
            with unchanged(memory), pytest.raises(ConflictError, match="several scopes"):
                verb("deploy")
        memory.scoped(user="bob").checkpoints.delete("deploy")
        assert everything.checkpoints.complete("deploy", "build").scope.user == "ana"


class ForgottenRunsContract(Contract):
    def test_a_deleted_run_is_hidden_and_comes_back_as_it_was(self, memory: Memory) -> None:
        checkpoints = memory.checkpoints
        checkpoints.start("r", "a")
        before = checkpoints.complete("r", "a", "first life")
        checkpoints.delete("r", reason="a mistake")
        assert list(checkpoints.runs()) == []
        assert [each.run for each in checkpoints.runs(deleted=True)] == ["r"]
        with pytest.raises(NotFoundError):
            checkpoints.get("r", "a")
        checkpoints.start("r", "a")
        with unchanged(memory), pytest.raises(ConflictError, match="another run"):
            checkpoints.restore("r")
        checkpoints.save("r", "a", "second life")
        checkpoints.delete("r")
        [back] = checkpoints.restore("r")
        assert (back.output, back.deleted_at) == ("second life", None)
        checkpoints.erase("r")
        assert list(checkpoints.runs(deleted=True)) == []
        assert before.output == "first life"
        assert memory.audit.verify().problems == ()

    def test_an_erased_or_purged_run_is_gone(self, memory: Memory, clock: FakeClock) -> None:
        planned = memory.checkpoints.plan("r", "a", "b")
        assert set(memory.checkpoints.erase("r").ids) == {each.id for each in planned}
        with pytest.raises(NotFoundError):
            memory.checkpoints.erase("r")
        memory.checkpoints.plan("s", "a")
        memory.checkpoints.delete("s")
        clock.advance(days=31)
        assert len(memory.checkpoints.purge().ids) == 1
        assert memory.audit.verify().problems == ()
