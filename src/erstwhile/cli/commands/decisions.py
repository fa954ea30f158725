"""Commands about decisions that take a whole decision or request, or need a person."""

from __future__ import annotations

from typing import Any

import click

from erstwhile.cli.call import Call
from erstwhile.cli.people import decisions_of_people, require_person
from erstwhile.cli.safe_text import json_line, safe_line
from erstwhile.core.results import Page
from erstwhile.decisions.decision import (
    Decider,
    Decision,
    DecisionRequest,
    name_people,
    named_people,
    parse_people,
)

NONE_LIKE_IT = "No past decision is similar. Ask for weaker matches with --floor 0."


def record(call: Call, **given: Any) -> None:
    decision = _confirmed(call, Decision(**given))
    call.out.done("Recorded", call.memory.decisions.record(decision))


def supersede(call: Call, *, old: str, reason: str, **given: Any) -> None:
    decision = _confirmed(call, Decision(**given))
    call.out.done("Superseded", call.memory.decisions.supersede(old, decision, reason=reason))


def recall(call: Call, *, goal: str, tool: str, input: Any, **given: Any) -> None:
    query = DecisionRequest(goal=goal, tool=tool, input=input)
    hits = call.memory.decisions.recall(query, **given)
    call.out.page(Page(tuple(hits)), NONE_LIKE_IT)


def advise(call: Call, *, goal: str, tool: str, input: Any, **given: Any) -> None:
    query = DecisionRequest(goal=goal, tool=tool, input=input)
    call.out.record(call.memory.decisions.advise(query, **given))


def people(call: Call, *, names: str | None = None) -> None:
    if names is not None:
        parse_people(names)
        require_person(call, f"Shall only these be people from now on: {names}?")
        name_people(call.store.decisions, names)
    named = named_people(call.store.decisions)
    call.out.done(f"People: {safe_line(named)}", {"people": named})


def trust(call: Call, *, ids: tuple[str, ...] = ()) -> None:
    waiting = [each.id for each in decisions_of_people(call.memory.decisions) if not each.trusted]
    chosen = ids or waiting
    require_person(call, f"Do you trust {len(chosen)} decisions of people?")
    for id in chosen:
        call.memory.decisions.trust(id)
    call.out.done(f"Trusted: {len(chosen):,}", {"trusted": len(chosen)})


def export(call: Call, **given: Any) -> None:
    """Write decisions as JSON lines in every format of the output."""
    for decision in call.memory.decisions.export(**given):
        click.echo(json_line(decision).encode())


def _confirmed(call: Call, decision: Decision) -> Decision:
    """Return a decision; ask at the terminal if a person made it."""
    if decision.decided_by == Decider.PERSON:
        require_person(call, f"Did you decide this yourself: {decision.choice} {decision.tool}?")
    return decision
