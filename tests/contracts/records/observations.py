"""Observations: seven types, full-text search, deleting and restoring."""

from __future__ import annotations

from typing import Any, cast

import pytest

from erstwhile.core.errors import ConflictError, InvalidInputError, NotFoundError, ScopeError
from erstwhile.memory import Memory
from erstwhile.records.model import LimitationStatus, Observation, ObservationType, OutcomeTally
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import Contract, input_check, unchanged

ODD_QUERIES = (
    '"', '""', "'", "*", "AND", "OR NOT", "NEAR(a b)", "a NEAR/2 b", "(", ")", "title:x", "-x",
    "^x", "{a b}", "a*", "\\", "%", "?!", "😀", "-- ;", "x OR", "{title}: y", "+", "\n", "ː",
)  # fmt: skip


class ObservationsContract(Contract):
    @pytest.mark.parametrize("type", ObservationType)
    def test_each_type_is_kept_whole(self, memory: Memory, type: ObservationType) -> None:
        said = memory.observations.add(
            type.value, "A title", what="what", why="why", where="where", learned="learned"
        )
        assert said.type is type
        assert (said.title, said.what, said.why) == ("A title", "what", "why")
        assert (said.where, said.learned) == ("where", "learned")
        assert said.created_at == said.changed_at
        assert memory.observations.get(said.id) == said

    @input_check
    def test_an_unknown_type_is_refused_with_the_seven(self, memory: Memory) -> None:
        with pytest.raises(InvalidInputError, match=r"bugfix.*architecture"):
            memory.observations.add("hunch", "x")

    @pytest.mark.parametrize(
        ("part", "query"),
        [("title", "kettles"), ("what", "kettle"), ("why", "KETTLE"), ("where", "kettle.py"),
         ("learned", "the kettle's whistle")],
    )  # fmt: skip
    def test_every_part_is_searched(self, memory: Memory, part: str, query: str) -> None:
        words = {"title": "Nothing", part: f"src/kettle.py whistles: {part}"}
        said = memory.observations.add("discovery", words.pop("title"), **words)
        memory.observations.add("discovery", "Something else")
        assert search(memory, query) == [said]

    def test_chinese_is_found_inside_a_sentence(self, memory: Memory) -> None:
        said = memory.observations.add("bugfix", "修复了数据库连接超时的问题")
        memory.observations.add("bugfix", "界面颜色不对")
        assert search(memory, "超时") == [said]
        assert search(memory, "数据库为什么断开?") == [said]

    def test_better_match_comes_first_then_newer(self, memory: Memory, clock: FakeClock) -> None:
        both = memory.observations.add("bugfix", "A race in the worker")
        clock.advance(days=1)
        one = [memory.observations.add("bugfix", "The worker sleeps") for _ in range(2)]
        hits = memory.observations.search("race in workers")
        assert [hit.record for hit in hits] == [both, *one[::-1]]
        assert hits[0].why.score > hits[1].why.score == hits[2].why.score > 0

    def test_search_filters_apply_before_the_limit(self, memory: Memory, clock: FakeClock) -> None:
        wanted = memory.observations.add("config", "The worker reads this and that and more")
        clock.advance(days=1)
        for _ in range(5):
            memory.observations.add("bugfix", "worker")
        assert search(memory, "worker", type="config", limit=1) == [wanted]
        assert search(memory, "worker", until="1 hour ago", limit=1) == [wanted]
        assert len(memory.observations.search("worker", since="1 hour ago")) == 5
        assert len(memory.observations.search("worker", limit=3)) == 3
        assert list(memory.observations.list(type="config")) == [wanted]

    @pytest.mark.parametrize("query", ODD_QUERIES)
    def test_no_query_is_a_syntax_error(self, memory: Memory, query: str) -> None:
        memory.observations.add("bugfix", "Nothing special")
        if query.isspace():
            query += "x"
        assert not memory.observations.search(query)

    def test_a_search_stays_in_its_scope(self, memory: Memory) -> None:
        ana, bob = (memory.scoped(user=user) for user in ("ana", "bob"))
        shop = memory.scoped(user="ana", project="shop")
        hers, shared = (
            ana.observations.add("bugfix", "x ray"),
            memory.observations.add("bugfix", "x ray"),
        )
        its = shop.observations.add("bugfix", "x ray")
        assert set(search(ana, "ray")) == {hers, shared}
        assert set(search(shop, "ray")) == {hers, shared, its}
        assert search(bob, "ray") == [shared]
        assert len(memory.everything().observations.search("ray")) == 3

    def test_deleting_and_restoring_keep_the_index_correct(self, memory: Memory) -> None:
        one, two, three = (
            memory.observations.add("bugfix", f"common words {name}") for name in "abc"
        )
        for _ in range(3):
            memory.observations.delete(two.id)
            assert set(search(memory, "common")) == {one, three}
            with pytest.raises(NotFoundError):
                memory.observations.delete(two.id)
            two = memory.observations.restore(two.id)
            assert set(search(memory, "common")) == {one, two, three}
        memory.observations.delete(one.id)
        memory.observations.erase(one.id, three.id)
        assert search(memory, "common") == [two]
        assert search(memory, "a") == []
        assert memory.audit.verify().ok

    def test_deleted_and_erased_observations_do_not_affect_ranking(self, memory: Memory) -> None:
        ana, bob = (memory.scoped(user=user) for user in ("ana", "bob"))
        for title in ("fast worker", "slow worker in a queue", "queue"):
            ana.observations.add("bugfix", title)
            bob.observations.add("bugfix", title)
        extra = [ana.observations.add("bugfix", "worker worker queue") for _ in range(5)]
        for observation in extra[:3]:
            ana.observations.delete(observation.id)
        ana.observations.erase(*(observation.id for observation in extra))
        titles = [[each.title for each in search(who, "worker queue")] for who in (ana, bob)]
        assert titles[0] == titles[1]


def search(memory: Memory, query: str, **filters: Any) -> list[Observation]:
    found = [hit.record for hit in memory.observations.search(query, **filters)]
    assert all(isinstance(record, Observation) for record in found)
    return cast("list[Observation]", found)


class OutcomesContract(Contract):
    def test_an_outcome_is_kept_as_it_was_said(self, memory: Memory, clock: FakeClock) -> None:
        said = memory.outcomes.add("Code Review", -1, note="missed a race", source="user")
        assert (said.domain, said.score) == ("code review", -1)
        assert (said.note, said.source, said.created_at) == ("missed a race", "user", clock.now())
        assert memory.outcomes.get(said.id) == said

    @input_check
    @pytest.mark.parametrize("score", [2, -2, 0.5, 1.0, True, "1", None])
    def test_a_score_is_one_of_three(self, memory: Memory, score: Any) -> None:
        with unchanged(memory), pytest.raises(InvalidInputError, match="-1, 0 or 1"):
            memory.outcomes.add("x", score)

    def test_filters_of_list_apply_before_its_limit(self, memory: Memory, clock: FakeClock) -> None:
        wanted = [memory.outcomes.add("code", score) for score in (1, -1)]
        clock.advance(days=1)
        for _ in range(5):
            memory.outcomes.add("mail", 1)
        assert list(memory.outcomes.list(domain=" CODE ", limit=2)) == wanted[::-1]
        assert list(memory.outcomes.list(score=-1)) == wanted[1:]
        assert list(memory.outcomes.list(until="1 hour ago")) == wanted[::-1]
        assert len(memory.outcomes.list(since="1 hour ago")) == 5

    def test_a_tally_counts_by_domain_and_project(self, memory: Memory) -> None:
        ana = memory.scoped(user="ana")
        shop = memory.scoped(user="ana", project="shop")
        for score in (1, 1, 0, -1):
            ana.outcomes.add("code", score)
        shop.outcomes.add("code", -1)
        shop.outcomes.delete(shop.outcomes.add("mail", 1).id)
        general = OutcomeTally(domain="code", project=None, good=2, neutral=1, bad=1)
        own = OutcomeTally(domain="code", project="shop", good=0, neutral=0, bad=1)
        assert ana.outcomes.tally() == [general]
        assert shop.outcomes.tally(domain="Code") == [general, own]
        assert (general.balance, own.balance) == (1, -1)
        assert shop.outcomes.tally(since="in 1 hour") == []
        assert memory.outcomes.tally() == []


class LimitationsContract(Contract):
    def test_a_title_is_open_once_per_scope(self, memory: Memory, clock: FakeClock) -> None:
        first = memory.limitations.add("Cannot send mail", description="no SMTP")
        clock.advance(days=1)
        again = memory.limitations.add("cannot  SEND mail", description="else", plan="ask Ana")
        assert (again.id, again.title, again.reports) == (first.id, "Cannot send mail", 2)
        assert (again.description, again.plan) == ("no SMTP", "ask Ana")
        assert (again.created_at, again.reported_at) == (first.created_at, clock.now())
        assert list(memory.limitations.list()) == [again]
        ana = memory.scoped(user="ana")
        assert memory.limitations.add("x").reports == ana.limitations.add("x").reports == 1
        assert len(ana.limitations.list()) == 3

    def test_resolved_limitation_can_be_added_again(self, memory: Memory, clock: FakeClock) -> None:
        first = memory.limitations.add("x")
        clock.advance(days=1)
        done = memory.limitations.resolve(first.id, resolution="there is a tool now")
        assert (done.status, done.resolved_at) == (LimitationStatus.RESOLVED, clock.now())
        assert done.resolution == "there is a tool now"
        assert not memory.limitations.list()
        again = memory.limitations.add("X")
        assert (again.id != first.id, again.reports, again.status) == (True, 1, "open")
        assert list(memory.limitations.list()) == [again]
        assert list(memory.limitations.list(status="resolved")) == [done]
        assert list(memory.limitations.list(status="any")) == [again, done]

    def test_resolving_is_refused(self, memory: Memory) -> None:
        limitation = memory.limitations.add("x")
        with unchanged(memory), pytest.raises(ScopeError):
            memory.scoped(user="ana").limitations.resolve(limitation.id)
        limitation = memory.limitations.add("x")
        memory.limitations.resolve(limitation.id)
        with unchanged(memory), pytest.raises(ConflictError, match="already resolved"):
            memory.limitations.resolve(limitation.id)

    def test_restoring_is_refused_while_another_is_open(self, memory: Memory) -> None:
        first = memory.limitations.add("x")
        memory.limitations.delete(first.id)
        second = memory.limitations.add("x")
        assert second.id != first.id
        with unchanged(memory), pytest.raises(ConflictError, match="is open"):
            memory.limitations.restore(first.id)
        memory.limitations.resolve(second.id)
        assert memory.limitations.restore(first.id).status == "open"

    def test_each_step_is_on_the_trail(self, memory: Memory) -> None:
        limitation = memory.limitations.add("x")
        memory.limitations.add("x")
        memory.limitations.resolve(limitation.id)
        actions = [entry.action for entry in memory.audit.list(subject=limitation.id)]
        assert actions == ["limitation.resolve", "limitation.report", "limitation.add"]
        assert memory.audit.verify().ok
