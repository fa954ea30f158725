"""Observations: seven types, full-text search, deleting and restoring."""

from __future__ import annotations

from typing import Any, cast

import pytest

from erstwhile.core.errors import InvalidInputError, NotFoundError
from erstwhile.memory import Memory
from erstwhile.records.model import Observation, ObservationType
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import Contract, input_check

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
        """A word of two characters without spaces around it."""
        said = memory.observations.add("bugfix", "修复了数据库连接超时的问题")
        memory.observations.add("bugfix", "界面颜色不对")
        assert search(memory, "超时") == [said]
        assert search(memory, "数据库为什么断开?") == [said]

    def test_the_better_match_comes_first_then_the_newer(
        self, memory: Memory, clock: FakeClock
    ) -> None:
        both = memory.observations.add("bugfix", "A race in the worker")
        clock.advance(days=1)
        one = [memory.observations.add("bugfix", "The worker sleeps") for _ in range(2)]
        hits = memory.observations.search("race in workers")
        assert [hit.record for hit in hits] == [both, *one[::-1]]
        assert hits[0].score > hits[1].score == hits[2].score > 0

    def test_filters_of_a_search_apply_before_its_limit(
        self, memory: Memory, clock: FakeClock
    ) -> None:
        """A filter applies before the limit, however many others match better."""
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
        """Shared observations are searched, those of other users and projects are not."""
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
        """However often, in any order; erasing one of a few works as well."""
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
        """Deleted or erased observations do not change the ranking of the others."""
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
