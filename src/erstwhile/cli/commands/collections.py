"""Commands of groups that do more than call one verb."""

from __future__ import annotations

import sys
from typing import Any

import click

from erstwhile.cli.call import Call, is_terminal
from erstwhile.cli.hook.quick_call import respond
from erstwhile.cli.people import decisions_of_people, require_person
from erstwhile.cli.safe_text import json_line, safe_line
from erstwhile.core.errors import NotFoundError, RefusedError
from erstwhile.decisions.decision import (
    Decider,
    Decision,
    DecisionRequest,
    name_people,
    named_people,
    parse_people,
)
from erstwhile.tasks.task import AfterFailure

NONE_LIKE_IT = "No past decision is similar. Ask for weaker matches with --floor 0."
BY_HAND = "by hand"
"""The worker name of a task that is completed without a claim."""
_AFTER_FAILURE = {
    AfterFailure.RETRY: "It will be tried again",
    AfterFailure.NEXT: "Given up; the next occurrence waits",
    AfterFailure.FAILED: "Failed permanently",
}


def edit_block(call: Call, *, name: str, reason: str | None = None) -> None:
    if not is_terminal(sys.stdin):
        raise RefusedError("an editor needs a terminal", remedy="use `blocks.update`")
    block = call.memory.blocks.get(name)
    text = click.edit(block.content, extension=".md")
    if text is not None:
        block = call.memory.blocks.update(name, text, reason=reason, expected_version=block.version)
    call.out.done("Unchanged" if text is None else "Updated", block)


def language(call: Call, *, code: str | None = None, notice: str | None = None) -> None:
    if code and notice:
        raise click.UsageError("--set and --notice contradict each other: leave one out.")
    if code:
        call.memory.profile.set_language(code)
    if notice:
        call.out.record(call.memory.profile.notice_language(notice))
        return
    found = call.memory.profile.language()
    if found is None:
        raise NotFoundError("no language is known here", remedy="set one with --set")
    call.out.record({"language": found})


def diff_snapshots(call: Call, *, markdown: bool, **given: Any) -> None:
    """Show what changed between two snapshots, or write it as Markdown."""
    found = call.memory.snapshots.diff(**given)
    if markdown:
        click.echo(found.report, nl=False)
    else:
        call.out.record(found)


def add_task(call: Call, **given: Any) -> None:
    """Add a task, and show similar ones."""
    made = call.memory.tasks.add(**given)
    call.out.done("There already" if made.existed else "Planned", made)
    for similar in made.similar:
        call.out.notice(f"similar task: {similar.task.short_id}  {similar.task.description}")


def update_task(call: Call, *, once: bool, **given: Any) -> None:
    """Change details of a task."""
    if once:
        if "recurrence" in given:
            raise click.UsageError("--once and --recurrence contradict each other: leave one out.")
        given["recurrence"] = None
    call.out.done("Changed", call.memory.tasks.update(**given))


def complete_task(call: Call, **given: Any) -> None:
    """Complete a task; claim it first if there is no token."""
    if "token" not in given:
        given["token"] = call.memory.tasks.claim(given["id"], BY_HAND).token
    call.out.done("Done", call.memory.tasks.complete(**given))


def fail_task(call: Call, **given: Any) -> None:
    """End an attempt as failed, and show the next step."""
    failure = call.memory.tasks.fail(**given)
    call.out.done(_AFTER_FAILURE[failure.then], failure)


def record_usage(call: Call, **given: Any) -> None:
    """Record a call of a language model."""
    entry = call.memory.usage.record(**given)
    call.out.done("Recorded", entry)
    if entry.cost is None:
        call.out.notice(f"the price of {entry.model} is unknown: add --cost, or set `prices`")


def hook_event(call: Call, **given: Any) -> None:
    """Handle an event of a coding agent, if `quick_call` cannot parse the options."""
    command = click.get_current_context().info_name
    respond({"db": call.db, **call.dimensions, **given, "command": command})


def record_decision(call: Call, **given: Any) -> None:
    decision = _confirmed(call, Decision(**given))
    call.out.done("Recorded", call.memory.decisions.record(decision))


def supersede_decision(call: Call, *, old: str, reason: str, **given: Any) -> None:
    decision = _confirmed(call, Decision(**given))
    call.out.done("Superseded", call.memory.decisions.supersede(old, decision, reason=reason))


def recall_decisions(call: Call, *, goal: str, tool: str, input: Any, **given: Any) -> None:
    query = DecisionRequest(goal=goal, tool=tool, input=input)
    hits = call.memory.decisions.recall(query, **given)
    call.out.page(hits, NONE_LIKE_IT)


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


def trust_decisions(call: Call, *, ids: tuple[str, ...] = ()) -> None:
    waiting = [each.id for each in decisions_of_people(call.memory.decisions) if not each.trusted]
    chosen = ids or waiting
    require_person(call, f"Do you trust {len(chosen)} decisions of people?")
    for id in chosen:
        call.memory.decisions.trust(id)
    call.out.done(f"Trusted: {len(chosen):,}", {"trusted": len(chosen)})


def export_decisions(call: Call, **given: Any) -> None:
    """Write decisions as JSON lines in every format of the output."""
    for decision in call.memory.decisions.export(**given):
        click.echo(json_line(decision).encode())


def _confirmed(call: Call, decision: Decision) -> Decision:
    """Return a decision; ask at the terminal if a person made it."""
    if decision.decided_by == Decider.PERSON:
        require_person(call, f"Did you decide this yourself: {decision.choice} {decision.tool}?")
    return decision
