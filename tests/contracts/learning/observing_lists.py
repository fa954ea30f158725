"""`observe` takes a whole list of messages, stores what is new, and learns once from each."""

from __future__ import annotations

from typing import Any

import pytest

from erstwhile.core.errors import ConflictError, InvalidInputError, NotFoundError, ScopeError
from erstwhile.memory import Memory
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import Contract, input_check, texts

CHAT: list[dict[str, Any]] = [
    {"role": "system", "content": "You are kind. My name is Robot."},
    {"role": "user", "content": "Hi! My name is Ana."},
    {"role": "assistant", "content": "Nice to meet you."},
]
MORE: list[dict[str, Any]] = [
    {"role": "user", "content": "I live in Lisbon."},
    {"role": "assistant", "content": "How lovely."},
]
OPENAI: list[dict[str, Any]] = [
    {"role": "developer", "content": "Be brief."},
    {"role": "user", "content": [{"type": "text", "text": "I live in Lisbon."},
                                 {"type": "image_url", "image_url": {"url": "data:…"}}]},
    {"role": "assistant", "content": None, "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": "{}"}}]},
    {"role": "tool", "tool_call_id": "c1", "content": "I live in Rome. My name is Eve."},
    {"role": "assistant", "content": "Sunny."},
]  # fmt: skip
ANTHROPIC: list[dict[str, Any]] = [
    {"role": "user", "content": "I live in Lisbon."},
    {"role": "assistant", "content": [
        {"type": "thinking", "thinking": "hm", "signature": "x"},
        {"type": "tool_use", "id": "c1", "name": "weather", "input": {}}]},
    {"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": "c1",
         "content": [{"type": "text", "text": "I live in Rome. My name is Eve."}]}]},
    {"role": "assistant", "content": [{"type": "text", "text": "Sunny."}]},
]  # fmt: skip
RESPONSES: list[dict[str, Any]] = [
    {"role": "user", "content": [{"type": "input_text", "text": "I live in Lisbon."}]},
    {"type": "reasoning", "summary": [], "content": [{"type": "reasoning_text", "text": "hm"}]},
    {"type": "function_call", "call_id": "c1", "name": "weather", "arguments": "{}"},
    {"type": "function_call_output", "call_id": "c1", "output": "I live in Rome. My name is Eve."},
    {"type": "message", "role": "assistant",
     "content": [{"type": "output_text", "text": "Sunny.", "annotations": []}]},
]  # fmt: skip


class ObservingListsContract(Contract):
    @pytest.fixture
    def ana(self, memory: Memory) -> Memory:
        return memory.scoped(user="ana")

    def said(self, ana: Memory, conversation: str) -> list[tuple[str, str]]:
        return [(each.role, each.content) for each in ana.conversations.messages(conversation)]

    def test_a_list_is_stored_without_its_system_prompt(self, ana: Memory) -> None:
        seen = ana.observe(CHAT, wait=True)
        assert self.said(ana, seen.conversation) == [
            ("user", "Hi! My name is Ana."), ("assistant", "Nice to meet you.")
        ]  # fmt: skip
        assert (len(seen.messages), seen.known, len(seen.attempts)) == (2, 0, 1)
        assert ana.facts.value("name") == "Ana"

    def test_the_same_list_again_stores_and_learns_nothing(self, ana: Memory) -> None:
        first = ana.observe(CHAT, wait=True)
        again = ana.observe(CHAT, wait=True)
        assert (again.conversation, again.messages, again.known) == (first.conversation, (), 2)
        assert again.attempts == ()
        assert len(ana.learning.attempts()) == 1
        assert ana.facts.list()[0].evidence == 1

    def test_with_two_more_messages_only_these_are_stored_and_learned(self, ana: Memory) -> None:
        ana.observe(CHAT, wait=True)
        seen = ana.observe([*CHAT, *MORE], wait=True)
        assert [each.content for each in seen.messages] == ["I live in Lisbon.", "How lovely."]
        assert seen.known == 2
        assert [each.messages for each in seen.attempts] == [
            tuple(each.id for each in seen.messages)
        ]
        assert len(ana.learning.attempts()) == 2

    def test_equal_messages_are_told_apart_by_their_place(self, ana: Memory) -> None:
        yes = {"role": "user", "content": "Yes."}
        ana.observe([*CHAT, yes, MORE[1]])
        seen = ana.observe([*CHAT, yes, MORE[1], yes, MORE[1]])
        assert (len(seen.messages), seen.known) == (2, 4)

    @pytest.mark.parametrize("trimmed", [[*CHAT[2:], *MORE], [*MORE]])
    def test_a_list_may_lack_its_beginning(
        self, ana: Memory, trimmed: list[dict[str, Any]]
    ) -> None:
        ana.observe([*CHAT, *MORE])
        new = {"role": "user", "content": "My cat is called Miso."}
        assert [each.content for each in ana.observe([*trimmed, new]).messages] == [new["content"]]

    def test_a_late_repetition_of_a_shorter_list_stores_nothing(self, ana: Memory) -> None:
        ana.observe([*CHAT, *MORE])
        assert ana.observe(CHAT).messages == ()

    def test_an_edited_message_is_new_and_the_others_are_not(self, ana: Memory) -> None:
        ana.observe([*CHAT, *MORE])
        edited = {"role": "user", "content": "I live in Porto."}
        assert len(ana.observe([*CHAT, edited, MORE[1]]).messages) == 1

    def test_after_a_pause_the_list_still_continues_its_conversation(
        self, ana: Memory, clock: FakeClock
    ) -> None:
        first = ana.observe(CHAT)
        clock.advance(days=3)
        seen = ana.observe([*CHAT, *MORE])
        assert (seen.conversation, seen.known) == (first.conversation, 2)
        clock.advance(days=3)
        other = ana.observe([{"role": "user", "content": "Something else."}])
        assert other.conversation != first.conversation

    def test_conversations_and_channels_are_apart(self, ana: Memory) -> None:
        one, two = ana.observe(CHAT, channel="one"), ana.observe(CHAT, channel="two")
        assert one.conversation != two.conversation
        assert len(two.messages) == 2
        third = ana.conversations.start("one").id
        assert len(ana.observe(CHAT, conversation=third).messages) == 2
        assert ana.observe(CHAT, conversation=one.conversation).messages == ()

    def test_users_are_apart(self, memory: Memory, ana: Memory) -> None:
        mine = ana.observe(CHAT)
        bob = memory.scoped(user="bob")
        assert len(bob.observe(CHAT).messages) == 2
        with pytest.raises(NotFoundError):
            bob.observe([*CHAT, *MORE], conversation=mine.conversation)

    def test_an_undone_message_is_not_stored_again(self, ana: Memory) -> None:
        seen = ana.observe([*CHAT, *MORE])
        ana.conversations.undo(seen.conversation, 2)
        assert ana.observe([*CHAT, *MORE]).messages == ()

    def test_it_continues_what_observe_turn_stored(self, ana: Memory) -> None:
        ana.observe_turn("Hi! My name is Ana.", "Nice to meet you.")
        assert len(ana.observe([*CHAT, *MORE]).messages) == 2

    def test_a_closed_conversation_takes_nothing_new(self, ana: Memory) -> None:
        seen = ana.observe(CHAT)
        ana.conversations.close(seen.conversation)
        assert ana.observe(CHAT, conversation=seen.conversation).messages == ()
        with pytest.raises(ConflictError):
            ana.observe([*CHAT, *MORE], conversation=seen.conversation)

    @pytest.mark.parametrize("shape", [OPENAI, ANTHROPIC, RESPONSES])
    def test_tools_never_speak_for_the_user(self, ana: Memory, shape: list[dict[str, Any]]) -> None:
        seen = ana.observe(shape, wait=True)
        assert self.said(ana, seen.conversation) == [
            ("user", "I live in Lisbon."),
            ("assistant", ""),
            ("tool", "I live in Rome. My name is Eve."),
            ("assistant", "Sunny."),
        ]
        call, result = seen.messages[1].metadata, seen.messages[2].metadata
        assert [(each["id"], each["name"]) for each in call["tool_calls"]] == [("c1", "weather")]
        assert result["tool_call_id"] == "c1"
        assert (ana.facts.value("home"), ana.facts.value("name")) == ("Lisbon", None)
        assert ana.observe(shape, wait=True).messages == ()

    def test_a_document_is_not_what_the_user_says(self, ana: Memory) -> None:
        source = {"type": "text", "media_type": "text/plain", "data": "My name is Eve."}
        parts = [{"type": "document", "source": source}, {"type": "text", "text": "Sum this up."}]
        seen = ana.observe([{"role": "user", "content": parts}], wait=True)
        assert self.said(ana, seen.conversation) == [
            ("tool", "My name is Eve."), ("user", "Sum this up.")
        ]  # fmt: skip
        assert texts(ana.facts.list()) == []

    def test_secrets_are_masked_and_still_known(self, ana: Memory) -> None:
        secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
        call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": secret}}
        chat = [
            {"role": "user", "content": f"My token is {secret}"},
            {"role": "assistant", "tool_calls": [call]},
        ]
        seen = ana.observe(chat)
        assert secret not in repr([each.to_dict() for each in seen.messages])
        assert ana.observe(chat).messages == ()

    def test_it_learns_to_the_scope_that_the_caller_chose(self, memory: Memory) -> None:
        shop = memory.scoped(user="ana", project="shop")
        shop.observe([{"role": "user", "content": "We use npm for the shop."}],
                     learn_to="shared", wait=True)  # fmt: skip
        assert texts(memory.facts.list()) == ["The team uses npm for the shop"]

    def test_a_view_without_a_user_learns_nothing(self, memory: Memory) -> None:
        with pytest.raises(ScopeError):
            memory.scoped(user=None).observe(CHAT)

    @input_check
    @pytest.mark.parametrize(
        ("messages", "problem"),
        [
            ([], "no message"),
            (CHAT[:1], "no message"),
            ("Hi!", "not a list"),
            (CHAT[1], "not a list"),
            ([*CHAT, "Hi!"], "message 4: it is a str"),
            ([{"content": "Hi!"}], "message 1: it has no role"),
            ([{"role": "wizard", "content": "Hi!"}], "its role is unknown: 'wizard'"),
            ([{"role": "user"}], "it has no content"),
            ([{"role": "user", "content": {"a": 1}}], "its content is not text"),
            ([{"role": "user", "content": [7]}], "its content is not text"),
            ([{"role": "assistant", "tool_calls": "f"}], "one of its tool_calls is a text"),
        ],
    )
    def test_another_shape_is_refused_with_its_place(
        self, ana: Memory, messages: Any, problem: str
    ) -> None:
        with pytest.raises(InvalidInputError, match=problem) as caught:
            ana.observe(messages)
        assert caught.value.remedy
        assert not ana.conversations.list()
