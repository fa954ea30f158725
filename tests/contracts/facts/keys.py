"""Keyed facts: one live value per scope and key, and every earlier one kept."""

from __future__ import annotations

from datetime import timedelta

import pytest

from erstwhile.core.errors import InvalidInputError
from erstwhile.core.kinds import Ending, Kind
from erstwhile.memory import Memory
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import Contract, input_check, texts, unchanged


class KeysContract(Contract):
    def test_a_key_has_one_live_value(self, memory: Memory, clock: FakeClock) -> None:
        rome = memory.facts.set("city", "Rome")
        clock.advance(days=1)
        oslo = memory.facts.set("city", "Oslo")
        old = memory.facts.get(rome.id)
        assert (memory.facts.value("city"), memory.facts.count(key="city")) == ("Oslo", 1)
        assert (old.ending, old.superseded_by) == (Ending.SUPERSEDED, oslo.id)
        assert (oslo.supersedes, oslo.kind) == ((rome.id,), Kind.PROFILE)

    def test_sentence_has_its_bare_value_beside_it(self, memory: Memory, clock: FakeClock) -> None:
        first = memory.remember("The user's name is Mel", key="name", value="Mel")
        clock.advance(days=1)
        memory.facts.confirm(first.id)
        assert memory.facts.get(first.id).value == "Mel"
        assert memory.facts.list(key="name")[0].text == "The user's name is Mel"
        assert memory.facts.value("name", known_at=first.recorded_at) == "Mel"
        assert memory.profile.text() == "name: Mel"
        assert memory.facts.replace(first.id, "The user is called Bea").value is None
        assert memory.facts.value("name") == "The user is called Bea"
        assert memory.audit.verify().ok

    @input_check
    def test_a_value_needs_a_key_and_a_begin_in_the_past(self, memory: Memory) -> None:
        with pytest.raises(InvalidInputError, match="needs a key"):
            memory.remember("The user's name is Mel", value="Mel")
        memory.facts.set("city", "Rome")
        for key in ("city", "a key without a value"):
            with unchanged(memory), pytest.raises(InvalidInputError, match="future"):
                memory.facts.set(key, "Oslo", valid_from="tomorrow")

    def test_earlier_values_are_kept(self, memory: Memory, clock: FakeClock) -> None:
        said = ["Rome", "Oslo", "Rome", "Paris"]
        facts = []
        for city in said:
            facts.append(memory.facts.set("city", city))
            clock.advance(days=1)
        assert len({fact.id for fact in facts}) == 4
        assert [memory.facts.value("city", as_of=fact.valid_from) for fact in facts] == said
        assert [memory.facts.value("city", known_at=fact.recorded_at) for fact in facts] == said
        told = [s.fact.text for s in memory.facts.history(facts[1].id) if s.action == "remember"]
        assert told == said

    def test_the_same_value_adds_evidence(self, memory: Memory) -> None:
        first = memory.facts.set("city", "Rome")
        again = memory.facts.set("CITY ", "rome")
        assert (again.id, again.evidence, again.text) == (first.id, 2, "Rome")
        assert memory.facts.count(state="retired") == 0

    @pytest.mark.parametrize("key", ["Favourite  City", "FAVOURITE CITY", "ｆavourite\u00a0city"])
    def test_keys_ignore_case_spacing_and_form(self, memory: Memory, key: str) -> None:
        memory.facts.set("favourite city", "Rome")
        assert memory.facts.value(key) == "Rome"
        assert texts(memory.facts.list(key=key)) == ["Rome"]
        memory.facts.set(key, "Oslo")
        assert memory.facts.value("favourite city") == "Oslo"

    def test_an_unknown_key_has_no_value(self, memory: Memory) -> None:
        memory.facts.set("city", "Rome")
        for key in ("town", "cit", "city%", "c_ty", "city2"):
            assert memory.facts.value(key) is None

    def test_a_deleted_or_retired_value_leaves_none(self, memory: Memory) -> None:
        memory.facts.set("city", "Rome")
        oslo = memory.facts.set("city", "Oslo")
        memory.facts.delete(oslo.id)
        assert memory.facts.value("city") is None
        memory.facts.restore(oslo.id)
        assert memory.facts.value("city") == "Oslo"
        memory.facts.delete(oslo.id)
        again = memory.facts.set("city", "Oslo")
        assert (again.id != oslo.id, again.recorded_at > oslo.recorded_at) == (True, True)
        rome = memory.facts.set("city", "Rome")
        memory.facts.retire(rome.id, "wrong")
        assert memory.facts.value("city") is None
        assert memory.facts.set("city", "Oslo").supersedes == ()

    def test_remember_with_a_key_sets_it_too(self, memory: Memory) -> None:
        memory.facts.set("city", "Rome")
        fact = memory.remember("Oslo", key="City", kind="preference")
        assert (fact.key, memory.facts.value("city")) == ("city", "Oslo")
        assert memory.facts.count(key="city") == 1
        same_text = memory.remember("Oslo", key="city", kind="event")
        assert same_text.supersedes == (fact.id,)
        assert memory.facts.count(key="city") == 1

    def test_the_narrowest_scope_answers(self, memory: Memory) -> None:
        scopes = [
            {}, {"session": "s"}, {"project": "p"}, {"project": "p", "session": "s"},
            {"agent": "a"}, {"agent": "a", "project": "p", "session": "s"}, {"user": "u"},
            {"user": "u", "session": "s"}, {"user": "u", "agent": "a", "project": "p"},
        ]  # fmt: skip
        reader = memory.scoped(user="u", agent="a", project="p", session="s")
        for number, scope in enumerate(scopes):
            memory.scoped(**scope).facts.set("city", f"city {number}")
            assert reader.facts.value("city") == f"city {number}"
        assert reader.facts.count(key="city") == len(scopes)
        assert memory.facts.value("city") == "city 0"


class BackDatedKeysContract(Contract):
    def test_a_back_dated_value_holds_from_then_on(self, memory: Memory, clock: FakeClock) -> None:
        one = memory.facts.set("city", "Rome", valid_from="2026-01-01")
        memory.facts.set("city", "Oslo", valid_from="2026-02-01")
        clock.advance(days=1)
        memory.facts.set("city", "Paris", valid_from="2026-01-15")
        days = ("2026-01-10", "2026-01-15", "2026-02-15", "now")
        assert [memory.facts.value("city", as_of=day) for day in days] == [
            "Rome", "Paris", "Paris", "Paris",
        ]  # fmt: skip
        assert memory.facts.value("city", as_of="2026-02-15", known_at=one.recorded_at) == "Rome"
        for day in days:
            assert memory.facts.count(key="city", as_of=day) == 1

    def test_a_back_dated_replacement_of_a_value(self, memory: Memory, clock: FakeClock) -> None:
        memory.facts.set("city", "Rome", valid_from="2026-01-01")
        oslo = memory.facts.set("city", "Oslo", valid_from="2026-02-01")
        clock.advance(days=1)
        memory.facts.replace(oslo.id, "Paris", valid_from="2026-01-15")
        for day, city in (("2026-01-10", "Rome"), ("2026-01-20", "Paris"), ("now", "Paris")):
            assert texts(memory.facts.list(key="city", as_of=day)) == [city]

    def test_a_replacement_that_takes_a_key_ends_its_value(self, memory: Memory) -> None:
        rome, plain = memory.facts.set("city", "Rome"), memory.remember("somewhere")
        oslo = memory.facts.replace(plain.id, "Oslo", key="city")
        assert sorted(oslo.supersedes) == sorted([rome.id, plain.id])
        assert texts(memory.facts.list()) == ["Oslo"]
        assert memory.facts.value("city") == "Oslo"

    def test_no_value_ends_before_it_begins(self, memory: Memory, clock: FakeClock) -> None:
        for number, day in enumerate([20, 5, 12, 3, 28, 1]):
            memory.facts.set("city", f"city {number}", valid_from=f"2026-02-{day:02}")
            clock.advance(hours=1)
        for fact in memory.facts.list(state="any", key="city"):
            assert (fact.valid_to or clock.now()) >= fact.valid_from
        for day in range(1, 29):
            assert memory.facts.count(key="city", as_of=f"2026-02-{day:02}T12:00:00Z") == 1

    def test_what_was_wrong_is_left_alone(self, memory: Memory) -> None:
        wrong = memory.facts.set("city", "Rome")
        memory.facts.retire(wrong.id, "wrong")
        memory.facts.set("city", "Oslo", valid_from=wrong.valid_from - timedelta(days=9))
        steps = [step.action for step in memory.facts.history(wrong.id)]
        assert steps == ["remember", "retire"]
