"""Verbatim repetitions: which statements are equal, and what a repetition adds."""

from __future__ import annotations

from datetime import timedelta

import pytest

from erstwhile.core.errors import TooLargeError
from erstwhile.core.kinds import Kind
from erstwhile.facts.fact import Relation
from erstwhile.memory import Memory
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import Contract, texts, unchanged

SAME = [
    ("Ana likes tea", "ana LIKES Tea"),
    ("Ana likes tea", "  Ana\tlikes\n\n tea "),
    ("Ana likes tea", "Ana\u00a0likes\u3000tea"),
    ("caf\u00e9", "cafe\u0301"),
    ("ＡＮＡ　１２３", "ana 123"),
    ("ﬁle ﬂow", "file flow"),
    ("Straße", "STRASSE"),
    ("ΟΔΟΣ", "οδος"),
    ("ｶﾞ", "ガ"),
    ("①", "1"),
    ("Å", "\u212b"),
]
DIFFERENT = [
    ("port 8080", "port 8081"),
    ("Ana likes tea", "Ana likes tea."),
    ("Ana likes tea", "Anal ikes tea"),
    ("resume", "résumé"),
    ("likes", "likes not"),
    ("数据库", "数据"),
]


class TwinsContract(Contract):
    @pytest.mark.parametrize(("one", "other"), SAME)
    def test_case_spacing_and_unicode_form_do_not_matter(
        self, memory: Memory, one: str, other: str
    ) -> None:
        """The repeat adds evidence to the first, whose wording stays."""
        first, second = memory.remember(one), memory.remember(other)
        assert (second.id, second.text, second.evidence) == (first.id, one, 2)
        assert texts(memory.facts.list()) == [one]

    @pytest.mark.parametrize(("one", "other"), DIFFERENT)
    def test_different_content_is_a_different_fact(
        self, memory: Memory, one: str, other: str
    ) -> None:
        """A changed number, word or letter is a change and no repeat."""
        assert memory.remember(one).id != memory.remember(other).id
        assert memory.facts.count() == 2

    def test_twins_of_two_scopes_are_two_facts(self, memory: Memory) -> None:
        """A second user's preference is stored, not counted as the first's."""
        ana, bob = memory.scoped(user="ana"), memory.scoped(user="bob")
        facts = [each.remember("likes tea") for each in (ana, bob, memory, ana.scoped(agent="a"))]
        assert len({fact.id for fact in facts}) == 4
        assert [fact.evidence for fact in facts] == [1] * 4

    def test_twins_of_two_kinds_are_two_facts(self, memory: Memory) -> None:
        """The same words as another kind of statement are another statement."""
        facts = [memory.remember("likes tea", kind=kind) for kind in Kind]
        assert len({fact.id for fact in facts}) == len(Kind)

    def test_a_value_and_a_plain_fact_are_no_twins(self, memory: Memory) -> None:
        """The same words under a key say something else."""
        plain, keyed = memory.remember("tea"), memory.remember("tea", key="drink")
        other = memory.remember("tea", key="smell")
        assert len({plain.id, keyed.id, other.id}) == 3

    def test_a_repeat_gathers_what_it_says_besides(self, memory: Memory) -> None:
        """Tags, entities, relations and metadata are joined; nothing is dropped."""
        memory.remember(
            "x", tags=["One"], entities=["Ana"], metadata={"a": 1, "b": 1}, pinned=True,
            relations=[("Ana", "knows", "Bob")],
        )  # fmt: skip
        again = memory.remember(
            "x", tags=["ONE", "two"], entities=["ana", "Zoe"], metadata={"b": 2, "c": 3},
            relations=[("Ana", "knows", "Bob"), ("Ana", "likes", "Bob")],
        )  # fmt: skip
        assert again == memory.facts.get(again.id)
        assert (again.tags, again.pinned) == (("One", "two"), True)
        assert again.entities == ("Ana", "Bob", "Zoe")
        assert again.metadata == {"a": 1, "b": 2, "c": 3}
        assert again.relations == (Relation("Ana", "knows", "Bob"), Relation("Ana", "likes", "Bob"))
        assert [len(memory.facts.list(tag=tag)) for tag in ("one", "two")] == [1, 1]
        assert memory.facts.count(entity="zoe") == 1

    def test_repeats_do_not_get_round_the_limits(self, memory: Memory) -> None:
        """What could not be said at once cannot be said bit by bit."""
        memory.remember("x", tags=[f"a{n}" for n in range(50)], metadata={"a": "x" * 40_000})
        with unchanged(memory), pytest.raises(TooLargeError, match="tags"):
            memory.remember("x", tags=["one more"])
        with unchanged(memory), pytest.raises(TooLargeError, match="metadata"):
            memory.remember("x", metadata={"b": "x" * 40_000})
        relations = [("a", f"p{n}", "b") for n in range(50)]
        memory.remember("y", relations=relations)
        with unchanged(memory), pytest.raises(TooLargeError, match="relations"):
            memory.remember("y", relations=[("a", "one more", "b")])

    def test_a_repeat_renews_the_expiry(self, memory: Memory, clock: FakeClock) -> None:
        """The last word on when it ends counts."""
        memory.remember("the build is red", kind="state", expires_at="1h")
        again = memory.remember("the build is red", kind="state", expires_at="3h")
        assert again.expires_at == clock.now() + timedelta(hours=3)
        clock.advance(hours=2)
        assert texts(memory.facts.list()) == ["the build is red"]

    def test_a_repeat_about_time_gone_by_ends_nothing(self, memory: Memory) -> None:
        """That it was true in 2020 does not say that it is no longer true."""
        memory.remember("Ana lives in Rome")
        again = memory.remember(
            "Ana lives in Rome", valid_from="2020-01-01", expires_at="2021-01-01"
        )
        assert (again.expires_at, again.evidence) == (None, 2)
        assert texts(memory.facts.list()) == ["Ana lives in Rome"]

    def test_a_repeat_never_makes_an_upcoming_fact_end_before_it_begins(
        self, memory: Memory
    ) -> None:
        """An expiry that lies before the beginning is not taken over."""
        memory.remember("the fair is on", valid_from="in 10 days")
        again = memory.remember("the fair is on", expires_at="in 3 days")
        assert again.expires_at is None
        assert memory.facts.count(state="upcoming") == 1

    @pytest.mark.parametrize("ending", ["superseded", "wrong", "expired"])
    def test_after_an_ending_the_same_words_are_a_new_fact(
        self, memory: Memory, ending: str
    ) -> None:
        """Only open facts are repeated."""
        first = memory.remember("x")
        memory.facts.retire(first.id, ending)
        second = memory.remember("x")
        assert (second.id != first.id, second.evidence) == (True, 1)
        assert memory.facts.get(first.id).evidence == 1

    def test_after_deletion_the_same_words_are_a_new_fact(self, memory: Memory) -> None:
        """What was deleted is not revived by accident."""
        first = memory.remember("x")
        memory.facts.delete(first.id)
        assert memory.remember("x").id != first.id
        assert memory.facts.count() == memory.facts.count(deleted=True) == 1

    def test_after_expiry_the_same_words_are_a_new_fact(
        self, memory: Memory, clock: FakeClock
    ) -> None:
        """The old one is closed as expired, without any maintenance."""
        first = memory.remember("x", expires_at="1h")
        clock.advance(hours=1)
        second = memory.remember("x")
        old = memory.facts.get(first.id)
        assert (second.id != first.id, old.ending) == (True, "expired")
        assert old.valid_to == first.expires_at
        assert memory.audit.verify().ok
