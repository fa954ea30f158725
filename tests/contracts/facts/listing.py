"""Listing and counting: filters, states, pages."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import partial
from itertools import product
from typing import Any

import pytest

from erstwhile.core.errors import InvalidInputError
from erstwhile.core.kinds import Kind, State
from erstwhile.core.ports import Engine, Session
from erstwhile.core.time import FOREVER, to_micros
from erstwhile.memory import Memory
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import Contract, input_check, paged, texts

FILTERS: list[dict[str, Any]] = [
    {}, {"kind": "event"}, {"kind": ["fact", "event"]}, {"kind": tuple(Kind)}, {"tag": "red"},
    {"tag": "RED "}, {"entity": "ana"}, {"entity": "Annie"}, {"key": "colour"},
    {"contains": "tea"}, {"since": "2026-03-02"}, {"until": "2026-03-02"},
    {"kind": "fact", "tag": "red", "entity": "Ana", "contains": "TEA"},
    {"tag": "no such tag"}, {"as_of": "2026-03-02"}, {"known_at": "2026-03-01T12:00:00.000002Z"},
    {"as_of": "2026-03-01T13:00:00Z", "known_at": "2026-03-04T00:00:00Z", "entity": "Ana"},
    {"contains": "tea", "known_at": "2026-03-04"},
]  # fmt: skip

LISTED = [state for state in State if state is not State.DELETED]
STATES: list[dict[str, Any]] = [{"deleted": True}, *({"state": state} for state in LISTED)]


class ListingContract(Contract):
    @pytest.fixture
    def stocked(self, memory: Memory, clock: FakeClock) -> Memory:
        """Facts in every state, with everything that one can filter by."""
        memory.remember("Ana drinks tea", tags=["red"], entities=["Ana"])
        memory.remember("Ana drank tea", kind="event", tags=["Red", "blue"], entities=["ANA"])
        memory.facts.set("colour", "green tea")
        clock.advance(days=1)
        memory.entities.add_alias("Ana", "Annie")
        memory.remember("later", valid_from="in 3 days", tags=["red"])
        memory.remember("rumoured tea", origin="web", entities=["Ana"])
        ended = memory.remember("no tea", entities=["Ana"], tags=["red"])
        clock.advance(days=1)
        memory.facts.retire(ended.id, "superseded")
        memory.facts.delete(memory.remember("deleted tea", tags=["red"], entities=["Ana"]).id)
        memory.remember("short-lived tea", expires_at="1h", kind="state")
        clock.advance(days=1)
        memory.facts.set("colour", "black tea")
        return memory

    @pytest.mark.parametrize("filters", FILTERS, ids=str)
    def test_count_agrees_with_list_in_one_piece_and_in_pages(
        self, stocked: Memory, filters: dict[str, Any]
    ) -> None:
        for state in STATES:
            asked = {**state, **filters}
            whole = stocked.facts.list(limit=1_000, **asked)
            assert whole.next is None
            assert stocked.facts.count(**asked) == len(whole)
            assert paged(partial(stocked.facts.list, **asked)) == list(whole)

    def test_states_are_apart_and_together_are_all(self, stocked: Memory) -> None:
        """Each fact is in exactly one state; `any` means all but the deleted."""
        by_state: dict[State, set[str]] = {
            State.DELETED: set(texts(stocked.facts.list(deleted=True))),
            **{state: set(texts(stocked.facts.list(state=state))) for state in LISTED},
        }
        assert by_state == {
            State.LIVE: {"Ana drinks tea", "Ana drank tea", "black tea"},
            State.QUARANTINED: {"rumoured tea"},
            State.UPCOMING: {"later"},
            State.RETIRED: {"no tea", "short-lived tea", "green tea"},
            State.DELETED: {"deleted tea"},
            State.ANY: {
                "Ana drinks tea", "Ana drank tea", "black tea", "rumoured tea", "later", "no tea",
                "short-lived tea", "green tea",
            },
        }  # fmt: skip
        stats = stocked.stats()
        counted = {state: stocked.facts.count(state=state) for state in LISTED}
        assert stocked.facts.count(deleted=True) == stats.deleted
        assert counted == {
            State.LIVE: stats.live, State.QUARANTINED: stats.quarantined,
            State.UPCOMING: stats.upcoming, State.RETIRED: stats.retired,
            State.ANY: len(by_state[State.ANY]),
        }  # fmt: skip
        assert stats.kinds == {"event": 1, "fact": 1, "profile": 1}
        days = ("2026-03-01", "2026-03-02", "2026-03-03", "2026-03-04")
        assert stats.recorded == dict(zip(days, (3, 3, 1, 1), strict=True))

    def test_each_filter_narrows(self, stocked: Memory) -> None:
        listed = stocked.facts.list
        assert texts(listed(kind="event")) == ["Ana drank tea"]
        assert texts(listed(kind=["event", Kind.PROFILE])) == ["black tea", "Ana drank tea"]
        assert texts(listed(tag="BLUE")) == ["Ana drank tea"]
        assert texts(listed(entity="ａｎａ")) == ["Ana drank tea", "Ana drinks tea"]
        assert texts(listed(entity="annie")) == ["Ana drank tea", "Ana drinks tea"]
        assert texts(listed(key="COLOUR")) == ["black tea"]
        assert texts(listed(contains="DRANK  tea")) == ["Ana drank tea"]
        assert texts(listed(since="2026-03-04")) == ["black tea"]
        assert texts(listed(until="2026-03-02")) == ["Ana drank tea", "Ana drinks tea"]
        assert texts(listed(kind="event", tag="red", contains="tea")) == ["Ana drank tea"]
        assert texts(listed(kind="event", key="colour")) == []

    def test_since_and_until_are_half_open(self, memory: Memory, clock: FakeClock) -> None:
        fact = memory.remember("x")
        at, after = fact.recorded_at, fact.recorded_at + timedelta(microseconds=1)
        assert memory.facts.count(since=at, until=after) == 1
        assert memory.facts.count(since=after) == memory.facts.count(until=at) == 0
        clock.advance(days=2)
        assert memory.facts.count(since="3 days ago", until="yesterday") == 1

    @input_check
    @pytest.mark.parametrize(
        "wrong",
        [
            {"kind": ""}, {"kind": []}, {"kind": ()}, {"kind": "rumour"}, {"kind": ["fact", ""]},
            {"tag": ""}, {"entity": " "}, {"key": ""}, {"contains": ""}, {"contains": "\t"},
            {"state": ""}, {"state": "all"}, {"state": None}, {"contains": "x" * 1_001},
            {"since": ""}, {"until": "soon"}, {"tag": 5}, {"contains": b"x"}, {"kind": ",fact,"},
            {"kind": "fact,event"}, {"kind": [None]}, {"state": "gone"},
        ],
        ids=lambda case: str(case)[:30],
    )  # fmt: skip
    def test_a_blank_or_unknown_filter_is_refused(
        self, memory: Memory, wrong: dict[str, Any]
    ) -> None:
        for ask in (memory.facts.list, memory.facts.count):
            with pytest.raises(InvalidInputError):
                ask(**wrong)

    @input_check
    def test_a_misspelt_filter_is_refused(self, memory: Memory) -> None:
        for misspelt, suggested in (("tags", "tag"), ("contians", "contains")):
            wrong: dict[str, Any] = {misspelt: "red"}
            for ask in (memory.facts.list, memory.facts.count):
                with pytest.raises(TypeError, match=f"{misspelt}.*did you mean '{suggested}'"):
                    ask(**wrong)

    @input_check
    def test_deleted_facts_are_listed_by_their_own_filter(self, memory: Memory) -> None:
        assert memory.facts.list(deleted=False, state="any").items == ()
        with pytest.raises(InvalidInputError, match="deleted=True"):
            memory.facts.list(state="deleted")
        with pytest.raises(InvalidInputError, match="combined"):
            memory.facts.list(state="live", deleted=True)

    @pytest.mark.parametrize(
        ("part", "found"),
        [
            ("100%", ["100% wool"]), ("%", ["100% wool"]), ("_", ["snake_case"]),
            ("e_c", ["snake_case"]), ("\\", ["C:\\temp"]), ("\\t", ["C:\\temp"]),
            (":\\", ["C:\\temp"]), ("'", ["it's"]), ('"', []), ("e%c", []), ("w__l", []),
            ("temp\\", []), ("[a-z]", []), ("*", []),
        ],
    )  # fmt: skip
    def test_contains_has_no_wildcards(self, memory: Memory, part: str, found: list[str]) -> None:
        memory.remember_many(["100% wool", "snake_case", "C:\\temp", "it's", "plain wool and case"])
        assert texts(memory.facts.list(contains=part)) == found
        assert memory.facts.count(contains=part) == len(found)

    @pytest.mark.parametrize("part", ["STRASSE", "straße", "ＣＡＦÉ", "cafe\u0301", "データ", "ﬁn"])
    def test_contains_folds_both_sides(self, memory: Memory, part: str) -> None:
        memory.remember("Das Café in der Straße hat データベース und feine finesse")
        assert memory.facts.count(contains=part) == 1

    def test_a_filter_is_no_pattern_either(self, memory: Memory) -> None:
        memory.remember("x", tags=["a_b"], entities=["50% club"], key="k%")
        for tag in ("a%", "aXb", "a_"):
            assert memory.facts.count(tag=tag) == 0
        assert memory.facts.count(entity="50%") == 0
        assert memory.facts.count(key="k") == memory.facts.count(key="kk") == 0


class PagingContract(Contract):
    def test_newest_comes_first(self, memory: Memory) -> None:
        memory.remember("first", valid_from="2026-02-01")
        memory.remember("second", valid_from="2020-02-01")
        assert texts(memory.facts.list()) == ["second", "first"]

    def test_a_page_is_found_across_scopes(self, memory: Memory) -> None:
        ana, bob = memory.scoped(user="ana"), memory.scoped(user="bob")
        for number in range(10):
            memory.remember(f"shared {number}")
            bob.remember_many([f"bob {number} {each}" for each in range(5)])
            ana.remember(f"ana {number}")
        expected = [f"{who} {n}" for n in range(9, -1, -1) for who in ("ana", "shared")]
        assert texts(ana.facts.list(limit=20)) == expected
        assert ana.facts.list(limit=20).next is None
        assert texts(ana.facts.list(limit=3)) == expected[:3]

    def test_a_page_does_not_shift_when_facts_are_added(self, memory: Memory) -> None:
        memory.remember_many([str(number) for number in range(6)])
        first = memory.facts.list(limit=3)
        memory.remember("new")
        memory.facts.delete(first[-1].id)
        assert texts(memory.facts.list(limit=9, cursor=first.next)) == ["2", "1", "0"]

    def test_an_exactly_full_page_is_the_last(self, memory: Memory) -> None:
        """`next` is None when nothing follows."""
        memory.remember_many(["1", "2", "3"])
        assert memory.facts.list(limit=3).next is None
        assert memory.facts.list(limit=2).next is not None

    @input_check
    @pytest.mark.parametrize("limit", [0, -1, 1_001, 10**9, True, 2.5, "5", None])
    def test_a_limit_has_limits(self, memory: Memory, limit: Any) -> None:
        memory.remember("x", entities=["Ana"])
        for ask in (memory.facts.list, memory.entities.list, memory.audit.list):
            with pytest.raises(InvalidInputError, match="limit"):
                ask(limit=limit)
        with pytest.raises(InvalidInputError, match="limit"):
            memory.entities.get("Ana", limit=limit)

    @input_check
    @pytest.mark.parametrize("cursor", ["", " ", "rubbish", "-1;", "%", "9" * 40, "१"])
    def test_a_cursor_that_is_none_is_refused(self, memory: Memory, cursor: str) -> None:
        memory.remember("x")
        with pytest.raises(InvalidInputError):
            memory.facts.list(cursor=cursor)
        with pytest.raises(InvalidInputError):
            memory.audit.list(cursor=cursor)


_MOVE = """UPDATE facts SET valid_from = :valid_from, valid_to = :valid_to,
  expires_at = :expires_at, trust = :trust, deleted_at = :deleted_at
WHERE space = :space AND id = :id"""


class StatesContract(Contract):
    def test_the_store_and_the_model_agree_on_every_order_of_times(
        self, memory: Memory, engine: Engine, clock: FakeClock
    ) -> None:
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
        assert {fact.state_at(moment) for fact in deleted} <= {State.DELETED}
        for state in set(State) - {State.ANY, State.DELETED}:
            listed = memory.facts.list(state=state, as_of=moment, limit=1_000)
            expected = {fact.id for fact in facts if fact.state_at(moment) is state}
            assert {fact.id for fact in listed} == expected
            assert memory.facts.count(state=state, as_of=moment) == len(expected)
