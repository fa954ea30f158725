"""Recall among all kinds of records: what it finds, and what it must not find."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from erstwhile.core.errors import InvalidInputError
from erstwhile.core.kinds import TextKind
from erstwhile.memory import Memory
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import Contract

FILLER = "Nothing of interest was said about the weather on that long day. " * 12
PART = "The kettle in the harbour office is blue."
BEGINNING = "A report of Monday."
LONG = f"{BEGINNING} {FILLER}{PART} {FILLER}"
KINDS = [kind.value for kind in TextKind]
OTHERS = [kind for kind in KINDS if kind != "facts"]
Add = Callable[[Memory, str], str]


def add_summary(memory: Memory, text: str) -> str:
    conversations = memory.conversations
    one = conversations.add("user", "hello", channel=f"about {text[:9]}").conversation
    return conversations.close(one, text).id


ADD: dict[str, Add] = {
    "facts": lambda memory, text: memory.remember(text).id,
    "messages": lambda memory, text: memory.conversations.add("user", text).id,
    "observations": lambda memory, text: memory.observations.add("pattern", "Seen", what=text).id,
    "lessons": lambda memory, text: memory.lessons.add("work", text).id,
    "summaries": add_summary,
}
HIDE: dict[str, Callable[[Memory, str], Any]] = {
    "facts": lambda memory, id: memory.facts.delete(id),
    "messages": lambda memory, id: memory.conversations.undo(
        memory.conversations.message(id).conversation
    ),
    "observations": lambda memory, id: memory.observations.delete(id),
    "lessons": lambda memory, id: memory.lessons.delete(id),
    "summaries": lambda memory, id: memory.conversations.delete(id),
}
SHOW: dict[str, Callable[[Memory, str], Any]] = {
    "facts": lambda memory, id: memory.facts.restore(id),
    "observations": lambda memory, id: memory.observations.restore(id),
    "lessons": lambda memory, id: memory.lessons.restore(id),
    "summaries": lambda memory, id: memory.conversations.restore(id),
}
ERASE: dict[str, Callable[[Memory, str], Any]] = {
    "facts": lambda memory, id: memory.facts.erase(id),
    "messages": lambda memory, id: memory.conversations.erase(id),
    "observations": lambda memory, id: memory.observations.erase(id),
    "lessons": lambda memory, id: memory.lessons.erase(id),
    "summaries": lambda memory, id: memory.conversations.erase(id),
}
of_kind = pytest.mark.parametrize("kind", KINDS)
of_another_kind = pytest.mark.parametrize("kind", OTHERS)


def ids(memory: Memory, query: str, among: str, **filters: Any) -> list[str]:
    return [hit.record.id for hit in memory.recall(query, among=among, **filters)]


class AmongContract(Contract):
    @of_kind
    def test_a_record_is_found_among_its_kind_and_among_all(
        self, memory: Memory, kind: str
    ) -> None:
        id = ADD[kind](memory, PART)
        for among in (kind, [kind], (kind, "facts"), "all"):
            [hit] = memory.recall("blue kettle", among=among)
            assert (hit.kind, hit.record.id) == (kind, id)
            assert PART in hit.record.searched
            assert set(hit.why.terms) == {"blue", "kettl"}
        for other in set(KINDS) - {kind}:
            assert ids(memory, "blue kettle", other) == []

    def test_kinds_are_mixed_by_their_match(self, memory: Memory) -> None:
        for kind in KINDS:
            ADD[kind](memory, f"The kettle among the {kind} is blue")
        best = memory.recall("blue kettle among lessons", among="all", limit=20)
        assert {hit.kind.value for hit in best} == set(KINDS)
        assert best[0].kind == "lessons"
        assert [hit.why.score for hit in best] == sorted(
            (hit.why.score for hit in best), reverse=True
        )

    def test_facts_are_the_default(self, memory: Memory) -> None:
        found = {kind: ADD[kind](memory, PART) for kind in KINDS}
        assert [hit.fact.id for hit in memory.recall("blue kettle")] == [found["facts"]]

    def test_a_hit_tells_its_kind(self, memory: Memory) -> None:
        ADD["messages"](memory, PART)
        [hit] = memory.recall("kettle", among="messages")
        assert hit.message == hit.record
        with pytest.raises(InvalidInputError, match="messages"):
            _ = hit.fact

    @of_kind
    def test_a_long_record_comes_with_its_best_passage(self, memory: Memory, kind: str) -> None:
        ADD[kind](memory, LONG)
        [hit] = memory.recall("what colour is the kettle in the harbour office?", among=kind)
        start, end, text = hit.passage
        assert PART in text
        assert len(text) <= 600 < len(hit.record.searched)
        assert hit.record.searched[start:end] == text

    @of_kind
    def test_other_scopes_see_nothing(self, memory: Memory, kind: str) -> None:
        """What is shared is seen by everybody."""
        ana, bob = memory.scoped(user="ana"), memory.scoped(user="bob")
        own, shared = ADD[kind](ana, PART), ADD[kind](memory, f"{PART} It is shared.")
        assert ids(ana, "blue kettle", kind) == [own, shared]
        for other in (bob, memory, memory.scoped(agent="coder")):
            assert ids(other, "blue kettle", kind) == ids(other, "blue kettle", "all") == [shared]
            assert other.why_not("blue kettle", own, among=kind).reason == "not_found"
        assert set(ids(memory.everything(), "blue kettle", kind)) == {own, shared}

    @of_kind
    def test_a_hidden_record_is_not_found_until_it_is_shown(
        self, memory: Memory, kind: str
    ) -> None:
        id = ADD[kind](memory, LONG)
        HIDE[kind](memory, id)
        assert ids(memory, "blue kettle", "all") == []
        assert memory.why_not("blue kettle", id, among=kind).reason == "deleted"
        if kind in SHOW:
            SHOW[kind](memory, id)
            assert ids(memory, "blue kettle", "all") == [id]

    @of_kind
    def test_an_erased_record_is_not_found(self, memory: Memory, kind: str) -> None:
        id = ADD[kind](memory, LONG)
        ERASE[kind](memory, id)
        assert ids(memory, "blue kettle", "all") == []
        assert memory.why_not("blue kettle", id, among=kind).reason == "not_found"

    def test_messages_of_a_deleted_conversation_are_not_found(self, memory: Memory) -> None:
        message = memory.conversations.add("user", LONG)
        memory.conversations.delete(message.conversation)
        assert ids(memory, "blue kettle", "messages") == []
        assert memory.why_not("blue kettle", message.id, among="messages").reason != "returned"
        memory.conversations.restore(message.conversation)
        assert ids(memory, "blue kettle", "messages") == [message.id]

    def test_a_summary_is_found_while_its_conversation_is_closed(self, memory: Memory) -> None:
        one = ADD["summaries"](memory, PART)
        memory.conversations.reopen(one)
        assert ids(memory, "blue kettle", "summaries") == []
        memory.conversations.close(one, "A red kettle")
        [hit] = memory.recall("red kettle", among="summaries")
        assert hit.passage.text == hit.record.searched == "A red kettle"
        assert "blue" not in hit.why.terms

    @of_another_kind
    @pytest.mark.parametrize(
        "filters",
        [{"kind": "preference"}, {"tag": "x"}, {"entity": "Ana"}, {"key": "k"}, {"deleted": True},
         {"state": "retired"}],
        ids=str,
    )  # fmt: skip
    def test_a_filter_that_only_facts_have_leaves_others_out(
        self, memory: Memory, kind: str, filters: dict[str, Any]
    ) -> None:
        id = ADD[kind](memory, PART)
        assert ids(memory, "blue kettle", "all", **filters) == []
        assert memory.why_not("blue kettle", id, among="all", **filters).reason == "filtered"

    @of_kind
    def test_a_filter_by_text_and_by_time_narrows(
        self, memory: Memory, clock: FakeClock, kind: str
    ) -> None:
        """`contains` looks at the whole record, not at one passage of it."""
        id = ADD[kind](memory, LONG)
        assert ids(memory, "blue kettle", kind, contains="report of monday") == [id]
        assert ids(memory, "blue kettle", kind, contains="teapot") == []
        clock.advance(days=10)
        assert ids(memory, "blue kettle", kind, since="5 days ago") == []
        assert ids(memory, "blue kettle", kind, since="15 days ago") == [id]
        assert ids(memory, "blue kettle", kind, until="15 days ago") == []
        assert ids(memory, "blue kettle", kind, until="5 days ago") == [id]
        excluded = memory.why_not("blue kettle", id, among=kind, since="5 days ago")
        assert excluded.reason == "filtered"

    @of_kind
    def test_nothing_is_found_before_it_was_said(
        self, memory: Memory, clock: FakeClock, kind: str
    ) -> None:
        clock.advance(days=10)
        id = ADD[kind](memory, PART)
        clock.advance(days=10)
        for time in ("as_of", "known_at"):
            before: dict[str, Any] = {time: "15 days ago"}
            assert ids(memory, "blue kettle", kind, **before) == []
            assert ids(memory, "blue kettle", kind, **{time: "5 days ago"}) == [id]
            early = memory.why_not("blue kettle", id, among=kind, **before)
            assert early.reason in ("filtered", "not_found", "upcoming")

    def test_a_message_counts_at_the_time_when_it_was_said(
        self, memory: Memory, clock: FakeClock
    ) -> None:
        """And is known from when it was stored."""
        clock.advance(days=30)
        message = memory.conversations.add("user", PART, said_at="20 days ago")
        assert ids(memory, "blue kettle", "messages", as_of="10 days ago") == [message.id]
        assert ids(memory, "blue kettle", "messages", as_of="25 days ago") == []
        assert ids(memory, "blue kettle", "messages", known_at="10 days ago") == []

    @of_kind
    def test_it_says_why_a_record_is_not_there(self, memory: Memory, kind: str) -> None:
        id = ADD[kind](memory, PART)
        returned = memory.why_not("blue kettle", id, among=kind)
        assert (returned.reason, returned.rank) == ("returned", 1)
        assert returned.hit is not None
        assert returned.hit.record.id == id
        assert memory.why_not("zebras", id, among=kind).reason == "no_match"
        unknown = "office zebra giraffe walrus ostrich leopard panther badger weasel marmot"
        assert memory.why_not(unknown, id, among=kind).reason == "below_floor"
        for other in set(KINDS) - {kind}:
            assert memory.why_not("blue kettle", id, among=other).reason == "not_found"

    @of_kind
    def test_it_says_that_others_match_better(self, memory: Memory, kind: str) -> None:
        worse = ADD[kind](memory, "A kettle was mentioned")
        for number in range(10):
            ADD["facts"](memory, f"Kettle number {number} is blue")
        found = memory.why_not("blue kettle", worse, among={kind, "facts"})
        assert (found.reason, found.rank) == ("outranked", 11)

    def test_the_words_of_the_user_come_before_the_same_words_of_others(
        self, memory: Memory
    ) -> None:
        """Unless the question is about what the assistant said."""
        said = [
            memory.conversations.add(role, PART, channel=role).id
            for role in ("user", "assistant", "tool", "system")
        ]
        assert ids(memory, "blue kettle", "messages")[0] == said[0]
        hits = memory.recall("which kettle did you recommend, the blue one?", among="messages")
        assert len({round(hit.why.score, 6) for hit in hits}) == 1

    def test_a_short_message_is_found_by_the_words_beside_it(self, memory: Memory) -> None:
        add = memory.conversations.add
        question = add("user", "What colour is the kettle?")
        answer = add("assistant", "Blue")
        for number in range(5):
            add("user", f"Something else, number {number}")
        assert set(ids(memory, "kettle", "messages", floor=0.0)) >= {question.id, answer.id}
        assert ids(memory, "kettle", "messages")[0] == question.id

    def test_a_copy_in_a_branch_is_found_only_instead_of_its_original(self, memory: Memory) -> None:
        conversations = memory.conversations
        message = conversations.add("user", PART)
        branch = conversations.branch(message.id)
        [copy] = conversations.messages(branch.id)
        assert ids(memory, "blue kettle", "messages") == [message.id]
        inside = conversations.search("blue kettle", conversation=branch.id)
        assert [hit.record.id for hit in inside] == [copy.id]
        conversations.delete(message.conversation)
        assert ids(memory, "blue kettle", "messages") == [copy.id]

    def test_live_facts_come_before_retired_ones(self, memory: Memory, clock: FakeClock) -> None:
        """However well the retired ones match, unless the question is about the past."""
        retired = memory.remember("The kettle in the harbour office is blue")
        clock.advance(days=1)
        memory.facts.retire(retired.id, "superseded")
        live = memory.remember("A kettle is somewhere in this house")
        found = ids(memory, "blue kettle harbour office", "all", include_retired=True, floor=0.0)
        assert found == [live.id, retired.id]
        assert ids(memory, "blue kettle harbour office", "facts", floor=0.0) == [live.id]
