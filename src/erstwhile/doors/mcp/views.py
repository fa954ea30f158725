"""Records as a model reads them: the fields that it can use, and no others."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from erstwhile.core.ids import short_id
from erstwhile.core.kinds import TextKind

if TYPE_CHECKING:  # a server that is never asked for tasks does not load them
    from erstwhile.blocks.block import Block, BlockChange
    from erstwhile.decisions.decision import Decision
    from erstwhile.facts.fact import Fact, FactChange
    from erstwhile.recall.hits import Hit
    from erstwhile.tasks.task import Task


def fact_view(fact: Fact) -> dict[str, Any]:
    """Return a fact."""
    return _given(
        id=fact.short_id,
        text=fact.text,
        kind=fact.kind.value,
        state=_state(fact),
        key=fact.key,
        origin=fact.origin.value,
        recorded_at=_time(fact.recorded_at),
        valid_from=_time(fact.valid_from),
        ends_at=_time(fact.ends_at),
    )


def hit_view(hit: Hit) -> dict[str, Any]:
    """Return a recalled record: a fact whole, of anything else the passage that matches."""
    is_fact, is_message = hit.kind is TextKind.FACTS, hit.kind is TextKind.MESSAGES
    return _given(
        record=hit.kind.value,
        id=short_id(hit.record.id),
        text=hit.fact.text if is_fact else hit.passage.text,
        told_at=_time(hit.record.told_at),
        score=round(hit.score, 3),
        role=hit.message.role.value if is_message else None,
        state=_state(hit.fact) if is_fact else None,
    )


def block_view(block: Block, *, whole: bool = True) -> dict[str, Any]:
    """Return a block, with its content if it is `whole`."""
    return _given(
        name=block.name,
        description=block.description,
        version=block.version,
        tokens=block.tokens,
        limit_tokens=block.limit_tokens,
        read_only=block.read_only,
        content=block.content if whole else None,
    )


def decision_view(decision: Decision) -> dict[str, Any]:
    """Return a decision."""
    return _given(
        id=decision.short_id,
        goal=decision.goal,
        tool=decision.tool,
        input=decision.input,
        choice=str(decision.choice),
        decided_by=str(decision.decided_by),
        rationale=decision.rationale,
        recorded_at=_time(decision.recorded_at),
    )


def task_view(task: Task) -> dict[str, Any]:
    """Return a task."""
    return _given(
        id=short_id(task.id),
        description=task.description,
        status=task.status.value,
        due_at=_time(task.due_at),
        recurrence=task.recurrence,
    )


def fact_change_view(change: FactChange) -> dict[str, Any]:
    """Return a change of a fact."""
    return _given(
        at=_time(change.at),
        action=change.action,
        actor=change.actor,
        reason=change.reason,
        text=change.fact.text,
        state=_state(change.fact, change.at),
    )


def block_change_view(change: BlockChange) -> dict[str, Any]:
    """Return a change of a block."""
    return _given(
        at=_time(change.at),
        action=change.action,
        actor=change.actor,
        reason=change.reason,
        text=change.new.content,
        version=change.version,
    )


def _given(**fields: Any) -> dict[str, Any]:
    """Return the fields that have a value: a missing one costs no tokens."""
    return {name: value for name, value in fields.items() if value is not None}


def _state(fact: Fact, at: datetime | None = None) -> str:
    return fact.state(at or max(datetime.now(UTC), fact.known_from)).value


def _time(moment: datetime | None) -> str | None:
    return None if moment is None else moment.astimezone(UTC).isoformat(timespec="seconds")
