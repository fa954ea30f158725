"""The tools about the work of an agent: blocks, decisions and tasks."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from erstwhile.blocks.block import Block
from erstwhile.decisions.decision import Decider, Decision, DecisionRequest
from erstwhile.doors.mcp.actions import ToolAction, one_of
from erstwhile.doors.mcp.views import block_view, decision_view, task_view

if TYPE_CHECKING:
    from erstwhile.blocks.collection import Blocks
    from erstwhile.memory import Memory

_LISTED = 100
_ARCHIVED = 20
"""The newest parts of an archive that one answer shows: about 30,000 characters."""
_EDIT = ("reason", "expected_version")


def _list_blocks(memory: Memory) -> dict[str, Any]:
    return {"blocks": [block_view(each, whole=False) for each in memory.blocks.list(limit=_LISTED)]}


def _view_block(memory: Memory, block: str) -> dict[str, Any]:
    return {"blocks": [block_view(memory.blocks.get(block))]}


def _archive(memory: Memory, block: str) -> dict[str, Any]:
    parts = memory.blocks.overflow(block)[-_ARCHIVED:]
    return {**_view_block(memory, block), "archive": [part.text for part in parts]}


def _editing(edit: Callable[..., Block]) -> Callable[..., dict[str, Any]]:
    """Return the action for an edit of a block."""

    def run(memory: Memory, **given: Any) -> dict[str, Any]:
        return {"blocks": [block_view(edit(memory.blocks, **given))]}

    return run


def _create(blocks: Blocks, block: str, text: str, **options: Any) -> Block:
    return blocks.add(block, text, overflow="archive", **options)


def _append(blocks: Blocks, block: str, text: str, **options: Any) -> Block:
    return blocks.append(block, text, **options)


def _insert(blocks: Blocks, block: str, line: int, text: str, **options: Any) -> Block:
    return blocks.insert(block, line, text, **options)


def _replace(blocks: Blocks, block: str, old_text: str, new_text: str, **options: Any) -> Block:
    return blocks.replace_text(block, old_text, new_text, **options)


def _rewrite(blocks: Blocks, block: str, text: str, **options: Any) -> Block:
    return blocks.update(block, text, **options)


blocks = one_of(
    {
        "list": ToolAction(_list_blocks),
        "view": ToolAction(_view_block, ("block",)),
        "archive": ToolAction(_archive, ("block",)),
        "create": ToolAction(_editing(_create), ("block", "text"), ("description", "reason")),
        "append": ToolAction(_editing(_append), ("block", "text"), _EDIT),
        "insert": ToolAction(_editing(_insert), ("block", "line", "text"), _EDIT),
        "replace": ToolAction(_editing(_replace), ("block", "old_text", "new_text"), _EDIT),
        "rewrite": ToolAction(_editing(_rewrite), ("block", "text"), _EDIT),
    }
)


def _advise(memory: Memory, tool: str, input: dict[str, Any], goal: str) -> dict[str, Any]:
    request = DecisionRequest(goal=goal, tool=tool, input=input)
    advice = memory.decisions.advise(request, namespace="global")
    precedents = [decision_view(hit.decision) for hit in advice.precedents]
    return {
        "suggestion": advice.suggestion.value,
        "reason": advice.reason,
        "decisions": precedents,
    }


def _record(memory: Memory, choice: str = "observe", **given: Any) -> dict[str, Any]:
    """Record a decision as the word of the agent: only a person can allow."""
    made = Decision(choice=choice, decided_by=Decider.AGENT, **given)
    return {"decisions": [decision_view(memory.decisions.record(made))]}


_CALL = ("tool", "input", "goal")
decisions = one_of(
    {
        "advise": ToolAction(_advise, _CALL),
        "record": ToolAction(_record, _CALL, ("choice", "rationale")),
    }
)


def _list_tasks(memory: Memory) -> dict[str, Any]:
    return {"tasks": [task_view(each) for each in memory.tasks.list(limit=_LISTED)]}


def _add_task(memory: Memory, description: str, **details: Any) -> dict[str, Any]:
    return {"tasks": [task_view(memory.tasks.add(description, **details).task)]}


def _complete(memory: Memory, task: str, result: str | None = None) -> dict[str, Any]:
    claim = memory.tasks.claim(task, "mcp")
    return {"tasks": [task_view(memory.tasks.complete(claim.task.id, claim.token, result=result))]}


def _defer(memory: Memory, task: str, due: str, reason: str | None = None) -> dict[str, Any]:
    return {"tasks": [task_view(memory.tasks.defer(task, due, reason=reason))]}


def _cancel(memory: Memory, task: str, reason: str | None = None) -> dict[str, Any]:
    return {"tasks": [task_view(memory.tasks.cancel(task, reason=reason))]}


tasks = one_of(
    {
        "list": ToolAction(_list_tasks),
        "add": ToolAction(_add_task, ("description",), ("due", "time_zone", "recurrence")),
        "complete": ToolAction(_complete, ("task",), ("result",)),
        "defer": ToolAction(_defer, ("task", "due"), ("reason",)),
        "cancel": ToolAction(_cancel, ("task",), ("reason",)),
    }
)
