"""Lessons: reinforced when they are added again; the most useful are kept."""

from __future__ import annotations

from datetime import timedelta

import pytest

from erstwhile.core.errors import InvalidInputError, NotFoundError
from erstwhile.memory import Memory
from erstwhile.records.model import MAX_LESSONS
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import Contract, paged


class LessonsContract(Contract):
    def test_learning_again_reinforces(self, memory: Memory, clock: FakeClock) -> None:
        first = memory.lessons.add("code", "Run the tests first")
        clock.advance(days=1)
        again = memory.lessons.add("CODE", "run  the TESTS first")
        assert (again.id, again.rule, again.occurrences) == (first.id, "Run the tests first", 2)
        assert (again.created_at, again.learned_at) == (first.created_at, clock.now())
        assert list(memory.lessons.list()) == [again]
        assert [entry.action for entry in memory.audit.list()] == [
            "lesson.reinforce", "lesson.add",
        ]  # fmt: skip

    def test_a_lesson_of_earlier_counts_by_when_it_was_learned(
        self, memory: Memory, clock: FakeClock
    ) -> None:
        """Learning it once more at an earlier time does not make it older."""
        now = clock.now()
        old = memory.lessons.add("code", "old", at=now - timedelta(days=300))
        new = memory.lessons.add("code", "new")
        assert (old.learned_at, old.created_at) == (now - timedelta(days=300), old.changed_at)
        assert [lesson.rule for lesson in memory.lessons.list()] == ["new", "old"]
        again = memory.lessons.add("code", "new", at=now - timedelta(days=300))
        assert (again.learned_at, again.occurrences) == (new.learned_at, 2)
        with pytest.raises(InvalidInputError, match="at cannot be"):
            memory.lessons.add("code", "tomorrow", at=clock.now() + timedelta(days=1))

    def test_the_same_rule_elsewhere_is_another_lesson(self, memory: Memory) -> None:
        shop = memory.scoped(project="shop")
        lessons = [memory.lessons.add("code", "x"), memory.lessons.add("mail", "x")]
        lessons += [shop.lessons.add("code", "x")]
        lessons += [memory.scoped(user=user).lessons.add("code", "x") for user in ("a", "b")]
        assert {lesson.occurrences for lesson in lessons} == {1}
        assert len({lesson.id for lesson in lessons}) == 5

    def test_a_domain_keeps_its_ten_most_useful(self, memory: Memory, clock: FakeClock) -> None:
        often = memory.lessons.add("code", "often")
        for _ in range(4):
            often = memory.lessons.add("code", "often")
        clock.advance(days=90)
        others = []
        for number in range(MAX_LESSONS):
            others.append(memory.lessons.add("code", f"rule {number}"))
            clock.advance(minutes=1)
        kept = memory.lessons.list(domain="code")
        assert len(kept) == MAX_LESSONS
        assert kept[0] == often
        dropped = [lesson.id for lesson in memory.lessons.list(deleted=True)]
        assert dropped == [others[0].id]
        assert memory.audit.list(subject=others[0].id)[0].action == "lesson.drop"

    def test_an_old_frequent_lesson_is_dropped(self, memory: Memory, clock: FakeClock) -> None:
        old = memory.lessons.add("code", "old")
        for _ in range(3):
            memory.lessons.add("code", "old")
        clock.advance(days=365)
        for number in range(MAX_LESSONS):
            memory.lessons.add("code", f"rule {number}")
        assert [lesson.id for lesson in memory.lessons.list(deleted=True)] == [old.id]

    def test_a_new_lesson_is_never_dropped(self, memory: Memory) -> None:
        for _ in range(3):
            for number in range(MAX_LESSONS):
                memory.lessons.add("code", f"rule {number}")
        new = memory.lessons.add("code", "new")
        assert new in list(memory.lessons.list())
        assert len(memory.lessons.list()) == MAX_LESSONS

    def test_other_domains_and_scopes_do_not_count(self, memory: Memory) -> None:
        ana = memory.scoped(user="ana")
        first = ana.lessons.add("code", "hers")
        for number in range(MAX_LESSONS):
            ana.lessons.add("mail", f"rule {number}")
            memory.lessons.add("code", f"rule {number}")
        assert ana.lessons.get(first.id) == first
        assert len(ana.lessons.list()) == 2 * MAX_LESSONS + 1
        assert not memory.everything().lessons.list(deleted=True)

    def test_a_dropped_lesson_can_come_back(self, memory: Memory, clock: FakeClock) -> None:
        first = memory.lessons.add("code", "first")
        for number in range(MAX_LESSONS):
            clock.advance(minutes=1)
            memory.lessons.add("code", f"rule {number}")
        with pytest.raises(NotFoundError):
            memory.lessons.get(first.id)
        again = memory.lessons.add("code", "First")
        assert (again.id, again.occurrences, again.deleted_at) == (first.id, 2, None)
        assert memory.lessons.list()[0] == again
        assert len(memory.lessons.list()) == MAX_LESSONS

    def test_restoring_drops_the_least_useful_other(self, memory: Memory, clock: FakeClock) -> None:
        first = memory.lessons.add("code", "first")
        memory.lessons.delete(first.id)
        others = []
        for number in range(MAX_LESSONS):
            clock.advance(minutes=1)
            others.append(memory.lessons.add("code", f"rule {number}"))
        memory.lessons.restore(first.id)
        assert first.id in [lesson.id for lesson in memory.lessons.list()]
        assert [lesson.id for lesson in memory.lessons.list(deleted=True)] == [others[0].id]
        assert memory.audit.verify().ok

    def test_lessons_of_the_project_come_first(self, memory: Memory, clock: FakeClock) -> None:
        ana, shop = memory.scoped(user="ana"), memory.scoped(user="ana", project="shop")
        own = [shop.lessons.add("code", rule) for rule in ("a", "b")]
        clock.advance(days=1)
        ana.lessons.add("code", "general")
        general = ana.lessons.add("code", "general")
        assert list(shop.lessons.list()) == [*own[::-1], general]
        assert list(ana.lessons.list()) == [general]
        assert list(shop.lessons.list(limit=1)) == [own[1]]

    def test_pages_follow_the_order_of_usefulness(self, memory: Memory, clock: FakeClock) -> None:
        shop = memory.scoped(project="shop")
        for number in range(4):
            shop.lessons.add("code", f"rule {number}")
            memory.lessons.add("mail", f"rule {number}")
            clock.advance(days=number)
        shop.lessons.add("code", "rule 0")
        whole = list(shop.lessons.list())
        assert paged(shop.lessons.list) == whole
        assert [lesson.scope.project for lesson in whole] == ["shop"] * 4 + [None] * 4
        worth = [lesson.usefulness for lesson in whole]
        assert worth[:4] == sorted(worth[:4], reverse=True)
        assert worth[4:] == sorted(worth[4:], reverse=True)

    def test_fifty_are_given_unless_more_are_asked_for(self, memory: Memory) -> None:
        for number in range(60):
            memory.lessons.add(f"domain {number}", "x")
        assert len(memory.lessons.list()) == 50
        assert memory.lessons.list().next is not None
        assert len(memory.lessons.list(limit=100)) == 60
