"""The tools about facts: remember, recall, context, correct, forget, and their history."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from erstwhile.core.errors import InvalidInputError
from erstwhile.core.kinds import Ending, State, TextKind, Trust
from erstwhile.doors.mcp.surface import Arguments, ToolAnswer
from erstwhile.doors.mcp.views import (
    block_change_view,
    fact_change_view,
    fact_view,
    hit_view,
)
from erstwhile.facts.fact import Fact

if TYPE_CHECKING:
    from erstwhile.memory import Memory

_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{0,24}")
_CHANGES = 50
"""The newest changes of a block that one answer shows."""
_HELD = "It is held back until a person approves it."


def remember(memory: Memory, given: Arguments) -> ToolAnswer:
    """Store a fact as the word of the agent, which the guard judges."""
    fact = memory.remember(**given)
    data = {"fact": fact_view(fact)}
    return ToolAnswer({**data, "notice": _HELD} if fact.trust is Trust.QUARANTINED else data)


def recall(memory: Memory, given: Arguments) -> ToolAnswer:
    """Search facts and messages; a question about the past searches facts alone."""
    now = (TextKind.FACTS, TextKind.MESSAGES)
    among = (TextKind.FACTS,) if given.get("as_of") else given.get("among") or now
    hits = memory.recall(**{**given, "among": among})
    found = {"hits": [hit_view(hit) for hit in hits]}
    return ToolAnswer(
        {**found, "notices": list(hits.trace.notices)} if hits.trace.notices else found
    )


def context(memory: Memory, given: Arguments) -> ToolAnswer:
    """Return the text for a prompt."""
    made = memory.context(**given)
    report = made.report
    data = {"text": made.text, "tokens": report.tokens, "left_out": report.left_out_count}
    return ToolAnswer(data, text=made.text or "Memory is empty.")


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
        raise InvalidInputError("history is of one record", remedy="give either fact or block")
    if "block" in given:
        page = memory.blocks.history(given["block"], limit=_CHANGES)
        return ToolAnswer({"changes": [block_change_view(each) for each in reversed(page)]})
    changes = memory.facts.history(_find(memory, given["fact"], State.ANY).id)
    return ToolAnswer({"changes": [fact_change_view(each) for each in changes]})


def _find(memory: Memory, given: str, state: State = State.LIVE) -> Fact:
    """Return the fact that a model means by an id, a text or a part of it."""
    if _ID.fullmatch(given.strip()):
        return memory.facts.get(given)
    return memory.facts.find(given, state=state)
