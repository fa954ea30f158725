"""Tools for a language model that calls functions: `memory.tools()`."""

from __future__ import annotations

import asyncio
import json
from types import SimpleNamespace
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from tests.contracts.base import unchanged

import erstwhile
from erstwhile.core.errors import InvalidInputError
from erstwhile.types import Toolset


@pytest.fixture
def memory() -> Any:
    settings = erstwhile.Settings(tokenizer="estimate", embedder="none")
    with erstwhile.open(":memory:", settings=settings) as opened:
        yield opened.scoped(agent="coder")


@pytest.fixture
def tools(memory: erstwhile.Memory) -> Toolset:
    memory.blocks.add("notes", "one\ntwo\n", description="What I learned")
    return memory.tools()


def test_each_provider_gets_its_own_form(tools: Toolset) -> None:
    """All have the same names and schemas, which allow no other properties."""
    plain = tools.definitions("json")
    assert tuple(each["name"] for each in plain) == tools.names
    assert {"remember", "recall", "blocks", "decisions", "tasks"} <= set(tools.names)
    for each in plain:
        Draft202012Validator.check_schema(each["parameters"])
        assert each["parameters"]["additionalProperties"] is False
        assert each["description"]
        fields = each["parameters"]["properties"].values()
        assert all("description" in field or "enum" in field for field in fields)
    assert [each["function"] for each in tools.definitions("openai")] == plain
    for mine, theirs in zip(tools.definitions("responses"), plain, strict=True):
        assert mine == {**theirs, "type": "function", "strict": False}
    for mine, theirs in zip(tools.definitions("anthropic"), plain, strict=True):
        assert mine == {
            "name": theirs["name"],
            "description": theirs["description"],
            "input_schema": theirs["parameters"],
        }
    with pytest.raises(InvalidInputError, match="style"):
        tools.definitions("other")


def test_groups_limit_the_tools(memory: erstwhile.Memory) -> None:
    tools = memory.tools(["blocks", "tasks"])
    assert tools.names == ("blocks", "tasks")
    assert tools.call("remember", {"text": "Ana likes tea"}).failed
    assert memory.tools([]).names == ()
    with pytest.raises(InvalidInputError, match="group"):
        memory.tools(["notes"])


def test_a_call_is_answered_in_the_form_of_its_provider(tools: Toolset) -> None:
    """It may be an object of an SDK or its JSON."""
    given = {"text": "Ana prefers pnpm"}
    function = {"name": "remember", "arguments": json.dumps(given)}
    for call in (
        {"id": "c1", "type": "function", "function": function},
        SimpleNamespace(id="c1", type="function", function=SimpleNamespace(**function)),
    ):
        message = tools.answer(call)
        assert (message["role"], message["tool_call_id"]) == ("tool", "c1")
        assert json.loads(message["content"])["fact"]["text"] == "Ana prefers pnpm"
    output = tools.answer({"type": "function_call", "call_id": "c2", "id": "f", **function})
    assert (output["type"], output["call_id"]) == ("function_call_output", "c2")
    block = {"type": "tool_use", "id": "t1", "name": "remember", "input": given}
    result = tools.answer(SimpleNamespace(**block))
    assert (result["type"], result["tool_use_id"]) == ("tool_result", "t1")
    assert "is_error" not in result
    assert tools.answer({**block, "input": {}})["is_error"] is True
    with pytest.raises(InvalidInputError, match="not a tool call"):
        tools.answer({"type": "text", "text": "hello"})


def test_a_model_remembers_recalls_corrects_and_forgets(
    memory: erstwhile.Memory, tools: Toolset
) -> None:
    for text in ("Ana prefers pnpm over npm.", "Ana prefers tea over coffee."):
        assert tools.call("remember", {"text": text}).data is not None
    assert [fact.origin for fact in memory.facts.list()] == ["agent", "agent"]
    assert "pnpm" in tools.call("recall", {"query": "npm or pnpm?"}).text
    ambiguous = tools.call("forget", {"fact": "Ana prefers"})
    assert ambiguous.failed
    assert "tea over coffee" in ambiguous.text
    assert not tools.call("forget", {"fact": "prefers TEA", "reason": "she said so"}).failed
    assert [fact.text for fact in memory.facts.list()] == ["Ana prefers pnpm over npm."]


def test_weak_hits_are_marked_and_have_the_relevance_of_recall(
    memory: erstwhile.Memory, tools: Toolset
) -> None:
    memory.remember_many(["Ana drinks green tea", "The shop has a green door", "Bo plays chess"])
    question = "which green tea does Ana drink at work?"
    hits = memory.recall(question, among=("facts", "messages"))
    assert {hit.is_weak for hit in hits} == {True, False}
    answer = json.loads(tools.call("recall", {"query": question}).text)
    assert [(hit["relevance"], hit.get("weak", False)) for hit in answer["hits"]] == [
        (round(hit.relevance, 3), hit.is_weak) for hit in hits
    ]


def test_a_model_plans_a_task_and_asks_before_a_call(
    memory: erstwhile.Memory, tools: Toolset
) -> None:
    made = tools.call("tasks", {"action": "add", "description": "Renew the certificate"}).data
    assert made is not None
    assert [task.description for task in memory.tasks.list()] == ["Renew the certificate"]
    done = {"action": "complete", "task": made["tasks"][0]["id"], "result": "renewed"}
    assert not tools.call("tasks", done).failed
    publish: dict[str, Any] = {"tool": "Bash", "input": {"command": "npm publish"}, "goal": "ship"}
    memory.decisions.record(erstwhile.Decision(choice="deny", decided_by="person", **publish))
    advice = tools.call("decisions", {"action": "advise", **publish}).data
    assert advice is not None
    assert advice["suggestion"] == "deny"


def test_a_model_edits_blocks(memory: erstwhile.Memory, tools: Toolset) -> None:
    """The error for a stale version has the present text."""
    tools.call("blocks", {"action": "append", "block": "notes", "text": "three"})
    swap = {"old_text": "two", "new_text": "2"}
    tools.call("blocks", {"action": "replace", "block": "notes", **swap})
    assert memory.blocks.get("notes").content == "one\n2\nthree"
    stale = {"action": "append", "block": "notes", "text": "x", "expected_version": 9}
    with unchanged(memory):
        failed = tools.call("blocks", stale)
        assert failed.failed
        assert "     2\t2" in failed.text


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("erase", {}),
        ("remember", {}),
        ("remember", "no JSON"),
        ("remember", "[1]"),
        ("remember", {"text": 5}),
        ("remember", {"text": "x", "force": "yes"}),
        ("remember", {"text": "x", "kind": "secret"}),
        ("blocks", {"action": "append", "block": "none", "text": "x"}),
        ("blocks", {"action": "insert", "block": "notes", "line": True, "text": "x"}),
        ("tasks", {"action": "complete", "task": "none"}),
    ],
)
def test_a_wrong_call_changes_nothing_and_says_why(
    memory: erstwhile.Memory, tools: Toolset, name: str, arguments: Any
) -> None:
    with unchanged(memory):
        result = tools.call(name, arguments)
    assert result.failed
    assert result.data is None
    assert result.text


def test_a_model_is_told_what_overflows_and_finds_it(memory: erstwhile.Memory) -> None:
    tools = memory.tools()
    tools.call("blocks", {"action": "create", "block": "log", "text": "", "description": "Days"})
    memory.blocks.set_limit("log", 30)
    first = {"action": "append", "block": "log", "text": "The harbour pilot is called Zebedee."}
    tools.call("blocks", first)
    days = [{**first, "text": f"Day {day}: we had tea."} for day in range(3)]
    made = [tools.call("blocks", day).data for day in days]
    assert [bool(each and each["blocks"][0].get("moved")) for each in made] == [False, True, False]
    assert "Zebedee" in tools.call("blocks", {"action": "archive", "block": "log"}).text
    assert "Zebedee" in tools.call("recall", {"query": "who is the harbour pilot?"}).text


def test_it_works_in_its_scope_alone(memory: erstwhile.Memory) -> None:
    ana, ben = memory.scoped(user="ana").tools(), memory.scoped(user="ben").tools()
    ana.call("remember", {"text": "Ana keeps a parrot"})
    found = ben.call("recall", {"query": "who keeps a parrot?"})
    assert found.data is not None
    assert found.data["hits"] == []
    assert ben.call("forget", {"fact": "parrot"}).failed


def test_the_calls_are_awaited_in_asyncio() -> None:
    async def story() -> None:
        async with await erstwhile.AsyncMemory.open(":memory:", embedder="none") as memory:
            tools = memory.scoped(user="ana").tools(["facts"])
            assert tools.names == memory.tools(["facts"]).names
            assert len(tools.definitions("anthropic")) == len(tools.names)
            assert not (await tools.call("remember", {"text": "Ana likes tea"})).failed
            block = {"type": "tool_use", "id": "t", "name": "recall", "input": {"query": "tea"}}
            assert "Ana likes tea" in (await tools.answer(block))["content"]

    asyncio.run(story())
