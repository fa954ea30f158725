"""Tools for a language model to edit blocks."""

from __future__ import annotations

from typing import Any

import pytest

import erstwhile
from erstwhile.core.errors import InvalidInputError
from erstwhile.integrations import MemoryTools
from tests.contracts.base import unchanged


@pytest.fixture
def memory() -> Any:
    settings = erstwhile.Settings(tokenizer="estimate", embedder="none")
    with erstwhile.open(":memory:", settings=settings) as opened:
        yield opened.scoped(agent="coder")


@pytest.fixture
def tools(memory: erstwhile.Memory) -> MemoryTools:
    memory.blocks.add("notes", "one\ntwo\n", description="What I learned")
    return MemoryTools(memory)


def test_the_definitions_are_json_schemas(tools: MemoryTools) -> None:
    """Each provider gets its own form; no other properties are allowed."""
    names = [tool["name"] for tool in tools.definitions()]
    assert names == [
        "memory_view", "memory_create", "memory_archive", "memory_append", "memory_replace",
        "memory_insert", "memory_rethink", "memory_remember", "memory_recall", "memory_forget",
    ]  # fmt: skip
    for tool in tools.definitions():
        schema = tool["input_schema"]
        assert (schema["type"], schema["additionalProperties"]) == ("object", False)
        assert set(schema["required"]) <= set(schema["properties"])
        assert all(each["description"] for each in (tool, *schema["properties"].values()))
    functions = [tool["function"] for tool in tools.definitions("openai")]
    assert [each["name"] for each in functions] == names
    assert functions[1]["parameters"] == tools.definitions()[1]["input_schema"]
    with pytest.raises(InvalidInputError, match="style"):
        tools.definitions("other")


def test_a_model_reads_and_edits_blocks(memory: erstwhile.Memory, tools: MemoryTools) -> None:
    listed = tools.call("memory_view", {}).text
    assert listed.startswith("notes (version 1, ")
    assert listed.endswith("tokens): What I learned")
    assert tools.call("memory_view", {"block": "notes"}).text.splitlines()[1:3] == [
        "     1\tone", "     2\ttwo",
    ]  # fmt: skip
    tools.call("memory_append", {"block": "notes", "text": "three", "reason": "learned"})
    tools.call("memory_replace", {"block": "notes", "old_text": "two", "new_text": "2"})
    done = tools.call("memory_insert", {"block": "notes", "line": 0, "text": "zero"})
    assert (done.failed, memory.blocks.get("notes").content) == (False, "zero\none\n2\nthree\n")
    assert done.text.startswith("notes is now at version 4, ")
    tools.call("memory_rethink", {"block": "notes", "content": "0-3", "expected_version": 4})
    assert memory.blocks.get("notes").content == "0-3"
    assert memory.blocks.history("notes")[3].reason == "learned"


def test_an_invalid_call_changes_nothing(memory: erstwhile.Memory, tools: MemoryTools) -> None:
    """The error for a stale version has the present text."""
    with unchanged(memory):
        stale = tools.call("memory_append", {"block": "notes", "text": "x", "expected_version": 9})
        assert stale.failed
        assert "version 1, not 9" in stale.text
        assert "     2\ttwo" in stale.text
        for name, arguments in (
            ("memory_append", {"block": "none", "text": "x"}),
            ("memory_replace", {"block": "notes", "old_text": "o", "new_text": ""}),
            ("memory_insert", {"block": "notes", "line": 9, "text": "x"}),
            ("memory_insert", {"block": "notes", "line": True, "text": "x"}),
            ("memory_append", {"block": "notes"}),
            ("memory_append", {"block": "notes", "text": "x", "force": "yes"}),
            ("memory_append", {"block": "notes", "text": 5}),
            ("memory_erase", {"block": "notes"}),
        ):
            assert tools.call(name, arguments).failed


def test_a_read_only_block_cannot_be_edited(memory: erstwhile.Memory, tools: MemoryTools) -> None:
    memory.blocks.add("rules", "be kind", read_only=True)
    assert "read-only" in tools.call("memory_view", {}).text
    with unchanged(memory):
        assert tools.call("memory_rethink", {"block": "rules", "content": "be rude"}).failed


def test_the_view_says_that_there_are_no_blocks(memory: erstwhile.Memory) -> None:
    assert "no memory blocks" in MemoryTools(memory).call("memory_view", {}).text


def test_a_model_creates_a_block_and_is_told_what_overflows(memory: erstwhile.Memory) -> None:
    """It can read the older text, and find it."""
    tools = MemoryTools(memory)
    created = tools.call("memory_create", {"block": "log", "description": "What happened"})
    assert (created.failed, memory.blocks.get("log").overflow) == (False, "archive")
    memory.blocks.set_limit("log", 30)
    tools.call("memory_append", {"block": "log", "text": "The harbour pilot is called Zebedee."})
    days = [{"block": "log", "text": f"Day {day}: we had tea."} for day in range(3)]
    told = [tools.call("memory_append", day).text for day in days]
    assert ["moved to its archive" in each for each in told] == [False, True, False]
    assert memory.blocks.get("log").content.endswith("Day 2: we had tea.")
    assert "in its archive" in tools.call("memory_view", {"block": "log"}).text
    assert "Zebedee" in tools.call("memory_archive", {"block": "log"}).text
    assert "none on page 2" in tools.call("memory_archive", {"block": "log", "page": 2}).text
    found = tools.call("memory_recall", {"query": "who is the harbour pilot?"}).text
    assert "Zebedee" in found.splitlines()[0]
    assert "archive of a block" in found
    assert tools.call("memory_create", {"block": "log"}).failed


def test_a_model_remembers_recalls_and_forgets_facts(memory: erstwhile.Memory) -> None:
    tools = MemoryTools(memory)
    for text in ("Ana prefers pnpm over npm.", "Ana prefers tea over coffee."):
        assert tools.call("memory_remember", {"text": text}).text == f"Remembered: {text}"
    assert [fact.origin for fact in memory.facts.list()] == ["agent", "agent"]
    assert "pnpm" in tools.call("memory_recall", {"query": "npm or pnpm?"}).text
    ambiguous = tools.call("memory_forget", {"text": "Ana prefers"})
    assert ambiguous.failed
    assert "tea over coffee" in ambiguous.text
    gone = tools.call("memory_forget", {"text": "prefers TEA", "reason": "she said so"})
    assert gone.text == "Forgotten: Ana prefers tea over coffee."
    assert tools.call("memory_forget", {"text": "prefers tea"}).failed
    assert [fact.text for fact in memory.facts.list()] == ["Ana prefers pnpm over npm."]
    assert tools.call("memory_recall", {"query": "zebra"}).text == "Nothing in memory fits."
