"""Imported conversations: file formats, unreadable parts and repeated imports."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import erstwhile
from erstwhile.integrations.conversation_files import read_conversations
from erstwhile.integrations.conversation_import import (
    ImportedConversation,
    ImportResult,
    import_conversations,
)
from tests.cases import cases

CASES = cases(__file__)


def node(parent: str | None, role: str = "", *parts: Any, **message: Any) -> dict[str, Any]:
    """Return a node of ChatGPT's tree; without a role it is only a joint."""
    if not role:
        return {"parent": parent, "message": None}
    content = {"content_type": "text", "parts": list(parts)}
    said = {"author": {"role": role}, "content": content, "create_time": 1_767_225_600, **message}
    return {"parent": parent, "message": said}


CHATGPT = CASES["chatgpt"]
CLAUDE = CASES["claude"]
LINES = "\n".join(
    json.dumps(each, ensure_ascii=False)
    for each in (
        {"role": "user", "content": "我住在里斯本。", "at": "2026-01-01T09:00:00Z"},
        {"role": "assistant", "content": "好的。", "at": 1_767_258_000},
        {"role": "human", "content": "I have a cat.", "conversation": "other"},
    )
)


def roles_and_texts(conversation: ImportedConversation) -> list[tuple[str, str]]:
    return [(message.role.value, message.content) for message in conversation.messages]


def import_text(memory: erstwhile.Memory, text: str, name: str = "conversation") -> ImportResult:
    found, left_out = read_conversations(text, name)
    made = import_conversations(memory, found)
    return replace(made, left_out=(*left_out, *made.left_out))


def test_the_branch_in_use_of_a_chatgpt_export_is_read() -> None:
    """Hidden messages and other branches are left out."""
    [conversation], passed = read_conversations(json.dumps(CHATGPT), "conversations")
    assert [(each.reason, each.count) for each in passed] == [
        ("another one replaced it", 2),
        ("its type is user_editable_context", 1),
        ("its type is unknown", 1),
    ]
    assert roles_and_texts(conversation) == [
        ("user", "I moved to Lisbon."),
        ("assistant", "Second answer."),
        ("user", "I have a cat."),
    ]
    assert conversation.messages[0].at == datetime(2026, 1, 1, tzinfo=UTC)


def test_messages_without_text_are_skipped() -> None:
    """Pictures, blank messages and tool calls have no text; pictures are counted."""
    picture = {"content_type": "image_asset_pointer", "asset_pointer": "file-service://1"}
    tree = json.loads(json.dumps(CHATGPT))
    tree[0]["mapping"]["a"] = node("ctx", "user", picture, author={"role": "user"})
    [conversation], passed = read_conversations(json.dumps(tree), "conversations")
    assert {each.reason for each in passed} >= {"its type is image_asset_pointer"}
    assert roles_and_texts(conversation) == [
        ("assistant", "Second answer."),
        ("user", "I have a cat."),
    ]
    exported = json.loads(json.dumps(CLAUDE))
    exported[0]["chat_messages"].append({"uuid": "4", "sender": "human", "text": " \n"})
    [conversation], unreadable = read_conversations(json.dumps(exported), "conversations")
    assert (len(conversation.messages), unreadable) == (2, [])
    called = '{"role": "assistant", "content": null, "tool_calls": []}'
    [conversation, _], unreadable = read_conversations(f"{LINES}\n{called}", "family")
    assert (len(conversation.messages), unreadable) == (2, [])


@pytest.mark.parametrize("odd", ["x", 3, None, []])
def test_parts_of_an_unknown_form_are_unreadable(odd: Any) -> None:
    tree = json.loads(json.dumps(CHATGPT))
    tree[0]["mapping"]["a"]["message"] |= {"author": odd}
    tree[0]["mapping"]["b2"]["message"] |= {"metadata": odd}
    conversations, unreadable = read_conversations(json.dumps(tree), "conversations")
    assert (conversations, len(unreadable)) == ([], 1)


def test_claude_s_export_is_read() -> None:
    [conversation], unreadable = read_conversations(json.dumps(CLAUDE), "conversations")
    assert unreadable == []
    assert roles_and_texts(conversation) == [
        ("user", "I have a cat."),
        ("assistant", "What is\nits name?"),
    ]


def test_attachments_and_empty_conversations_of_claude_are_counted() -> None:
    """A message that is nothing but a pasted file has no text; a title may hold a NUL."""
    pasted = [{"file_name": "notes.txt", "extracted_content": "The hives face south"}]
    blank = {"uuid": "8", "name": "", "chat_messages": []}
    only = {"uuid": "1", "sender": "human", "text": "", "content": [], "attachments": pasted}
    talk = {
        "uuid": "9",
        "name": "Cat\0 and tea",
        "chat_messages": [only, *CLAUDE[0]["chat_messages"]],
    }
    [read], passed = read_conversations(json.dumps([blank, talk]), "conversations")
    assert (read.metadata["title"], len(read.messages)) == ("Cat  and tea", 2)
    assert {each.place: each.count for each in passed} == {"attachments": 1, "conversations": 1}


def test_lines_are_grouped_by_conversation() -> None:
    conversations, unreadable = read_conversations(LINES, "family")
    assert unreadable == []
    assert [(conversation.name, len(conversation.messages)) for conversation in conversations] == [
        ("family", 2),
        ("other", 1),
    ]
    as_list = json.dumps([json.loads(line) for line in LINES.splitlines()])
    assert read_conversations(as_list, "family") == (conversations, unreadable)


@pytest.mark.parametrize(("line", "problem"), CASES["a_conversation_with_a_bad_line_is_left_out"])
def test_a_conversation_with_a_bad_line_is_left_out(line: str, problem: str) -> None:
    """The other conversations are imported, and the error has the number of the line."""
    conversations, [unreadable] = read_conversations(f"{LINES}\n{line}", "family")
    assert [conversation.name for conversation in conversations] == ["other"]
    assert unreadable.place == "line 4"
    assert problem in unreadable.reason


@pytest.mark.parametrize("line", ['{"role": "user", ', "hello", "[1]", "3"])
def test_a_line_without_a_known_conversation_makes_all_unreadable(line: str) -> None:
    """It may belong to any conversation."""
    conversations, [unreadable] = read_conversations(f"{LINES}\n{line}", "family")
    assert (conversations, unreadable.place) == ([], "line 4")


@given(st.text(max_size=60) | st.sampled_from([json.dumps(CHATGPT), json.dumps(CLAUDE), LINES]),
       st.integers(0, 900), st.text(max_size=3))  # fmt: skip
def test_any_text_gives_conversations_or_unreadable_parts(text: str, at: int, added: str) -> None:
    conversations, unreadable = read_conversations(text[:at] + added + text[at + 1 :], "file")
    assert all(conversation.messages for conversation in conversations)
    assert all(each.place and each.reason for each in unreadable)


def test_the_oldest_conversation_is_learned_from_first() -> None:
    """Exports begin with the newest conversation."""
    newest = {
        "role": "user",
        "content": "I moved to Rome.",
        "at": "2026-01-01",
        "conversation": "b",
    }
    oldest = {"role": "user", "content": "I live in Oslo.", "at": "2024-01-01", "conversation": "a"}
    with erstwhile.open(":memory:", embedder="none") as store:
        ana = store.scoped(user="ana")
        import_text(ana, f"{json.dumps(newest)}\n{json.dumps(oldest)}")
        assert [attempt.outcome.value for attempt in ana.learn()] == ["learned", "learned"]
        assert [fact.text for fact in ana.facts.list()] == ["The user lives in Rome"]
        assert [fact.text for fact in ana.facts.list(state="retired")] == ["The user lives in Oslo"]


def test_importing_again_stores_nothing_twice() -> None:
    """If the export has grown, the new messages go to the same conversation."""
    with erstwhile.open(":memory:", embedder="none") as store:
        ana = store.scoped(user="ana")
        first = import_text(ana, json.dumps(CLAUDE))
        assert (len(first.conversations), first.messages, first.known) == (1, 2, 0)
        again = import_text(ana, json.dumps(CLAUDE))
        assert (again.messages, again.known) == (0, 2)
        grown = json.loads(json.dumps(CLAUDE))
        grown[0]["chat_messages"].append({"uuid": "4", "sender": "human", "text": "Miso."})
        third = import_text(ana, json.dumps(grown))
        assert (third.messages, third.conversations) == (1, first.conversations)
        stored = ana.conversations.messages(first.conversations[0])
        assert [message.content for message in stored][-1] == "Miso."
        assert stored[0].said_at == datetime(2026, 1, 2, 10, tzinfo=UTC)


def test_each_conversation_is_imported_whole_or_not_at_all() -> None:
    """A conversation that contradicts the stored one is left out."""
    with erstwhile.open(":memory:", embedder="none") as store:
        import_text(store, LINES, "family")
        changed = LINES.replace("好的。", "不好。") + '\n{"role": "user", "content": "b"}'
        done = import_text(store, changed, "family")
        assert [each.place for each in done.left_out] == ["family"]
        assert (len(done.conversations), done.messages, done.known) == (1, 0, 1)


def test_two_people_import_the_same_file() -> None:
    with erstwhile.open(":memory:", embedder="none") as store:
        for name in ("ana", "bob"):
            assert import_text(store.scoped(user=name), LINES).messages == 3


def test_lines_end_at_line_feeds_only() -> None:
    """Windows line ends are allowed; Unicode separators do not end a line."""
    lines = (
        '{"role": "user", "content": "one\u2028two\x85three"}',
        '{"role": "user", "content": "b"}',
    )
    [conversation], unreadable = read_conversations("\r\n".join(lines), "family")
    assert [message.content for message in conversation.messages] == ["one\u2028two\x85three", "b"]
    assert not unreadable


def test_unreadable_parts_are_in_the_order_of_the_lines() -> None:
    lines = ('{"role": "king", "content": "a"}', "nonsense", '{"content": "a"}')
    conversations, unreadable = read_conversations("\n".join(lines), "family")
    assert not conversations
    assert [problem.place for problem in unreadable] == ["line 1", "line 2", "line 3"]
