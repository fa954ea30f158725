"""The actions of the tools: facts, blocks, decisions and tasks."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from erstwhile.core.errors import InvalidInputError
from erstwhile.core.kinds import Ending, State, TextKind, Trust
from erstwhile.core.time import moment_asked
from erstwhile.decisions.decision import Decider, Decision, DecisionRequest
from erstwhile.facts.fact import Fact
from erstwhile.tools.tool import Arguments, ToolAnswer
from erstwhile.tools.views import (
    block_change_view,
    block_view,
    fact_change_view,
    fact_view,
    hit_view,
    record_view,
)

if TYPE_CHECKING:
    from erstwhile.memory import Memory

_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{0,24}")
_CHANGES = 50
"""The most changes of a block in one answer."""
_HELD = "It is held back until a person approves it."
_CONTRADICTS = (
    "It may contradict the facts in conflicts. If one of them is over, `correct` it: retire it. If "
    "both are true, keep both."
)
_LISTED = 100
_ARCHIVED = 20
"""The most parts of an archive in one answer: about 30,000 characters."""
_EDIT = ("reason", "expected_version")


def remember(memory: Memory, given: Arguments) -> ToolAnswer:
    """Store a fact of the agent; the guard checks it."""
    fact = memory.remember(**given)
    beside = {"similar": fact.similar, "conflicts": fact.conflicts}
    data = {name: [*map(fact_view, facts)] for name, facts in beside.items() if facts}
    notice = _HELD if fact.trust is Trust.QUARANTINED else _CONTRADICTS if fact.conflicts else None
    return ToolAnswer({"fact": fact_view(fact), **data, **({"notice": notice} if notice else {})})


def recall(memory: Memory, given: Arguments) -> ToolAnswer:
    """Search facts and messages."""
    among = given.get("among") or (TextKind.FACTS, TextKind.MESSAGES)
    hits = memory.recall(**{**given, "among": among})
    at = moment_asked(given)
    found = {"hits": [hit_view(hit, at) for hit in hits]}
    return ToolAnswer(
        {**found, "notices": list(hits.trace.notices)} if hits.trace.notices else found
    )


def context(memory: Memory, given: Arguments) -> ToolAnswer:
    """Return the text for a prompt."""
    made = memory.context(**given)
    report = made.report
    data = {"text": made.text, "tokens": report.tokens, "left_out": report.left_out_count}
    return ToolAnswer(data, text=made.text or f"Memory is empty for {memory.scope}.")


def correct(memory: Memory, given: Arguments) -> ToolAnswer:
    """Replace or retire a fact, or undo that."""
    action, reason, facts = given["action"], given.get("reason"), memory.facts
    if action == "undo":
        before = _find(memory, given["fact"], State.RETIRED)
        after = facts.undo(before.id, reason=reason)
    elif action == "retire":
        before = _find(memory, given["fact"])
        after = facts.retire(before.id, given.get("ending", Ending.SUPERSEDED), reason=reason)
    else:
        if "text" not in given:
            raise InvalidInputError("replace needs the new fact", remedy="give it as text")
        before = _find(memory, given["fact"])
        after = facts.replace(before.id, given["text"], reason=reason)
    before = facts.get(before.id)  # it has another state now
    return ToolAnswer({"fact": fact_view(after), "before": fact_view(before)})


def forget(memory: Memory, given: Arguments) -> ToolAnswer:
    """Hide a fact, in any state."""
    found = _find(memory, given["fact"], State.ANY)
    return ToolAnswer(
        {"fact": fact_view(memory.facts.delete(found.id, reason=given.get("reason")))}
    )


def history(memory: Memory, given: Arguments) -> ToolAnswer:
    """Return the changes of a fact or of a block, oldest first."""
    if len(given) != 1:
        raise InvalidInputError("history takes one record", remedy="give either fact or block")
    if "block" in given:
        page = memory.blocks.history(given["block"], limit=_CHANGES)
        return ToolAnswer({"changes": [block_change_view(each) for each in reversed(page)]})
    changes = memory.facts.history(_find(memory, given["fact"], State.ANY).id)
    return ToolAnswer({"changes": [fact_change_view(each) for each in changes]})


def _find(memory: Memory, given: str, state: State = State.LIVE) -> Fact:
    """Return the fact with an id, a text or a part of a text."""
    if _ID.fullmatch(given.strip()):
        return memory.facts.get(given)
    return memory.facts.find(given, state=state)


@dataclass(frozen=True, slots=True)
class ToolAction:
    """An action of a tool. `run` gets the memory and the arguments by name."""

    run: Callable[..., dict[str, Any]]
    needs: tuple[str, ...] = ()
    takes: tuple[str, ...] = ()


def one_of(actions: Mapping[str, ToolAction]) -> Callable[[Memory, Arguments], ToolAnswer]:
    """Return the tool function that dispatches by the argument `action`."""

    def run(memory: Memory, given: Arguments) -> ToolAnswer:
        name = given["action"]
        chosen, rest = actions[name], {key: given[key] for key in given if key != "action"}
        if missing := [each for each in chosen.needs if each not in rest]:
            raise InvalidInputError(f"{name} needs {missing[0]}", remedy="give it, and call again")
        if other := sorted(set(rest) - {*chosen.needs, *chosen.takes}):
            allowed = ", ".join((*chosen.needs, *chosen.takes)) or "nothing else"
            raise InvalidInputError(f"{name} takes no {other[0]}", remedy=f"it takes {allowed}")
        return ToolAnswer(chosen.run(memory, **rest))

    return run


def _list_blocks(memory: Memory) -> dict[str, Any]:
    return {"blocks": [block_view(each, whole=False) for each in memory.blocks.list(limit=_LISTED)]}


def _view_block(memory: Memory, block: str) -> dict[str, Any]:
    return {"blocks": [block_view(memory.blocks.get(block))]}


def _archive(memory: Memory, block: str) -> dict[str, Any]:
    parts = memory.blocks.overflow(block)[-_ARCHIVED:]
    return {**_view_block(memory, block), "archive": [part.text for part in parts]}


def _changing_action(
    collection: str, method: str, *arguments: str, takes: tuple[str, ...] = _EDIT, **fixed: Any
) -> ToolAction:
    """Return the action that changes one record by a method with positional arguments."""

    def run(memory: Memory, **given: Any) -> dict[str, Any]:
        positional = [given.pop(name) for name in arguments]
        change = getattr(getattr(memory, collection), method)
        made = change(*positional, **given, **fixed)
        is_block = collection == "blocks"
        return {collection: [block_view(made) if is_block else record_view("task", made)]}

    return ToolAction(run, arguments, takes)


_NEW = ("description", "reason")
blocks = one_of(
    {
        "list": ToolAction(_list_blocks),
        "view": ToolAction(_view_block, ("block",)),
        "archive": ToolAction(_archive, ("block",)),
        "create": _changing_action(
            "blocks", "add", "block", "text", takes=_NEW, overflow="archive"
        ),
        "append": _changing_action("blocks", "append", "block", "text"),
        "insert": _changing_action("blocks", "insert", "block", "line", "text"),
        "replace": _changing_action("blocks", "replace_text", "block", "old_text", "new_text"),
        "rewrite": _changing_action("blocks", "update", "block", "text"),
    }
)


def _advise(memory: Memory, tool: str, input: dict[str, Any], goal: str) -> dict[str, Any]:
    request = DecisionRequest(goal=goal, tool=tool, input=input)
    advice = memory.decisions.advise(request, namespace="global")
    precedents = [record_view("decision", hit.decision) for hit in advice.precedents]
    return {"suggestion": advice.suggestion.value, "reason": advice.reason, "decisions": precedents}


def _record_decision(memory: Memory, choice: str = "observe", **given: Any) -> dict[str, Any]:
    """Record a decision of the agent: only a person can allow."""
    made = Decision(choice=choice, decided_by=Decider.AGENT, **given)
    return {"decisions": [record_view("decision", memory.decisions.record(made))]}


_CALL = ("tool", "input", "goal")
decisions = one_of(
    {
        "advise": ToolAction(_advise, _CALL),
        "record": ToolAction(_record_decision, _CALL, ("choice", "rationale")),
    }
)


def _list_tasks(memory: Memory) -> dict[str, Any]:
    return {"tasks": [record_view("task", each) for each in memory.tasks.list(limit=_LISTED)]}


def _add_task(memory: Memory, description: str, **details: Any) -> dict[str, Any]:
    return {"tasks": [record_view("task", memory.tasks.add(description, **details).task)]}


def _complete(memory: Memory, task: str, result: str | None = None) -> dict[str, Any]:
    claim = memory.tasks.claim(task, "tool")
    made = memory.tasks.complete(claim.task.id, claim.token, result=result)
    return {"tasks": [record_view("task", made)]}


tasks = one_of(
    {
        "list": ToolAction(_list_tasks),
        "add": ToolAction(_add_task, ("description",), ("due", "time_zone", "recurrence")),
        "complete": ToolAction(_complete, ("task",), ("result",)),
        "defer": _changing_action("tasks", "defer", "task", "due", takes=("reason",)),
        "cancel": _changing_action("tasks", "cancel", "task", takes=("reason",)),
    }
)
