"""What `remember` tells of the facts beside a new one."""

from __future__ import annotations

from erstwhile import Fact, Memory
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import Contract, texts

FIRST_PERSON = (
    ("I live in Lisbon", "The user lives in Porto"),
    ("I work at Lumen", "User works at Acme"),
    ("My favourite colour is blue", "The user's favourite colour is green"),
    ("I'm 30 years old", "The user is 31 years old"),
    ("My name is Ana", "The user's name is Eva"),
)
SHORT = (
    ("Ana has two kids", "Ana has three kids"),
    ("Ana likes tea", "Ana doesn't like tea"),
    ("The meeting is at 9:00", "The meeting is at 10:00"),
    ("The database is Postgres", "The database is MySQL"),
)


def beside(fact: Fact) -> tuple[list[str], list[str]]:
    return texts(fact.similar), texts(fact.conflicts)


class SimilarContract(Contract):
    def test_remember_notices_a_contradiction(self, memory: Memory, clock: FakeClock) -> None:
        """ "lives in Lisbon", "lives in Porto": both were live, without hint, conflict or dates."""
        ana = memory.scoped(user="ana")
        ana.remember("lives in Lisbon")
        clock.advance(hours=2)
        porto = ana.remember("lives in Porto")
        assert beside(porto) == ([], ["lives in Lisbon"])
        [conflict] = ana.conflicts.list()
        assert (conflict.older, conflict.newer) == (porto.conflicts[0], porto)
        text = ana.context("where does Ana live?").text
        for fact in (porto, *porto.conflicts):
            assert f"since {fact.valid_from:%Y-%m-%d %H:%M}, may contradict" in text

    def test_the_first_person_is_the_user(self, memory: Memory) -> None:
        """A person types "I live in Lisbon", and an agent writes "The user lives in Porto"."""
        for one, other in FIRST_PERSON:
            for older, newer in ((one, other), (other, one)):
                ana = memory.scoped(user=f"ana {older}")
                ana.remember(older)
                assert texts(ana.remember(newer).conflicts) == [older]
        memory.remember("My brother lives in Lisbon")
        memory.remember("I visited Rome")
        assert beside(memory.remember("The user lives in Porto"))[1] == []
        assert beside(memory.remember("The user visited Paris"))[1] == []

    def test_a_short_contradiction_is_noticed(self, memory: Memory) -> None:
        """They share one or two words only, with the value between or after them."""
        for one, other in SHORT:
            memory.remember(one)
            assert texts(memory.remember(other).conflicts) == [one]

    def test_what_is_only_similar_is_no_conflict(self, memory: Memory) -> None:
        memory.remember("Ana likes tea")
        assert beside(memory.remember("Ana likes coffee")) == (["Ana likes tea"], [])
        memory.remember("Ana has a dog Rex")
        assert beside(memory.remember("Ana has a cat Tom"))[1] == []
        assert len(memory.conflicts.list()) == 0

    def test_only_live_and_visible_facts_are_told(self, memory: Memory) -> None:
        ana, ben = memory.scoped(user="ana"), memory.scoped(user="ben")
        ended = ana.remember("Ana lives in Rome")
        ana.facts.retire(ended.id, "superseded")
        ana.facts.delete(ana.remember("Ana lives in Oslo").id)
        ana.remember("Ana lives in Bonn", origin="web")
        ben.remember("Ana lives in Lisbon")
        assert beside(ana.remember("Ana lives in Porto")) == ([], [])
        memory.remember("Ana lives in Kyiv")
        told = ben.remember("Ana lives in Porto").conflicts
        assert sorted(texts(told)) == ["Ana lives in Kyiv", "Ana lives in Lisbon"]

    def test_a_value_of_the_same_key_is_replaced_and_no_conflict(self, memory: Memory) -> None:
        memory.remember("Ana lives in Lisbon", key="city")
        assert beside(memory.remember("Ana lives in Porto", key="city")) == ([], [])

    def test_both_may_be_kept(self, memory: Memory) -> None:
        memory.remember("Ana has two sons")
        memory.remember("Ana has three sons")
        memory.conflicts.settle(memory.conflicts.list()[0].id, reason="by two marriages")
        assert memory.remember("Ana has three sons").conflicts == ()

    def test_an_agent_is_told_and_the_conflict_is_linked(self, memory: Memory) -> None:
        agent = memory.acting_as("bot", person=False)
        memory.remember("Ana eats meat")
        assert texts(agent.remember("Ana does not eat meat").conflicts) == ["Ana eats meat"]
        assert len(memory.conflicts.list()) == 1

    def test_only_the_result_of_remember_has_them(self, memory: Memory) -> None:
        memory.remember("Ana lives in Lisbon")
        made = memory.remember("Ana lives in Porto")
        stored = memory.facts.get(made.id)
        assert stored == made
        assert (stored.conflicts, "conflicts" in stored.to_dict()) == ((), False)
        assert made.to_dict()["conflicts"][0]["text"] == "Ana lives in Lisbon"
