"""`erstwhile decisions`: decisions about tool calls, and the advice that follows from them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any

import click

from erstwhile.cli import options
from erstwhile.cli.call import Call
from erstwhile.cli.commands.vouching import people, vouch
from erstwhile.cli.groups import Group, one_id
from erstwhile.cli.person import protect, require_person
from erstwhile.cli.safe_text import safe_line
from erstwhile.core.page import Page
from erstwhile.core.time import parse_age
from erstwhile.decisions.decision import (
    Choice,
    Coverage,
    Decider,
    Decision,
    DecisionRequest,
    Lasting,
    Namespace,
)

NONE_HERE = (
    "No decision here fits.\n"
    'Record one: erstwhile decisions record Bash \'{"command": "npm publish"}\' deny --goal ship '
    "--by person"
)
NONE_LIKE_IT = "No past decision is similar. Ask for weaker matches with --floor 0."


def json_value(_context: click.Context, _param: click.Parameter, value: str) -> Any:
    """Return the value of an argument that is written as JSON."""
    try:
        return json.loads(value)
    except (ValueError, RecursionError) as error:
        raise click.BadParameter(f"not JSON ({error})") from None


request = options.together(
    click.argument("tool"),
    click.argument("input", metavar="INPUT", callback=json_value),
    click.option("--goal", required=True, help="The goal that the agent works towards."),
)
comparing = options.together(
    click.option("--limit", type=int, help="The maximum number of results; 5 by default."),
    click.option(
        "--namespace",
        type=options.one_of(Namespace),
        help="Compare decisions with this goal, or all (global).",
    ),
    click.option("--floor", type=float, help="The lowest similarity, from 0 to 1."),
)
deciding = options.together(
    request,
    click.argument("choice", type=options.one_of(Choice)),
    click.option("--message", help="Why it is denied, or what was observed."),
    click.option("--rationale", help="The reasons."),
    click.option("--option", "options", multiple=True, help="An alternative. Repeatable."),
    click.option(
        "--by",
        "decided_by",
        type=options.one_of(Decider),
        required=True,
        help="Who decided; a person confirms it at a terminal.",
    ),
    click.option(
        "--at", "decided_at", metavar="TIME", help="The time of the decision; now by default."
    ),
    click.option("--turn", type=int, help="The turn of the conversation."),
    click.option(
        "--lasts",
        type=options.one_of(Lasting),
        help="How long the decision is valid; always by default.",
    ),
    click.option(
        "--covers",
        type=options.one_of(Coverage),
        help="Exactly this input (the default), or every input with the same fields.",
    ),
    click.option(
        "--transient",
        is_flag=True,
        default=None,
        help="The decision is only the result of a failure.",
    ),
)
filters = options.together(
    click.option("--goal", help="Made for this goal."),
    click.option("--tool", help="About this tool."),
    click.option("--choice", type=options.one_of(Choice), help="With this choice."),
    click.option("--by", "decided_by", type=options.one_of(Decider), help="Made by this decider."),
    click.option("--since", metavar="TIME", help="Decided at or after this time."),
    click.option("--until", metavar="TIME", help="Decided before this time."),
)


class _Decisions(Group):
    """The commands about decisions. Those that change one protect what a person decided."""

    def _collection(self, call: Call, method: str) -> Callable[..., Any]:
        function = super()._collection(call, method)
        if method not in ("delete", "restore", "set-outcome", "erase"):
            return function

        def protected(*arguments: str, **given: Any) -> Any:
            ids = arguments[:1] if method == "set-outcome" else arguments
            concerns = partial(_is_among, ids, given)
            protect(call, call.memory.decisions, concerns, deleted=method == "restore")
            return function(*arguments, **given)

        return protected


def _is_among(ids: Sequence[str], given: Mapping[str, Any], decision: Decision) -> bool:
    """Return whether a change of these decisions concerns one that a person made."""
    if older_than := given.get("older_than"):
        before = parse_age(older_than, now=datetime.now(UTC), name="older_than")
        old = isinstance(decision.decided_at, datetime) and decision.decided_at < before
        return old and given.get("decided_by") in (None, Decider.PERSON)
    return any(decision.id.startswith(id.strip().lower()) for id in ids)


decisions = _Decisions(
    "decisions",
    "Record decisions about tool calls, and ask for advice.\n\n"
    "You may shorten an ID as long as it stays unique. INPUT is the tool's input in JSON.",
    """decisions record Bash '{"command": "npm publish"}' deny --goal ship --by person""",
    """decisions advise Bash '{"command": "npm publish"}' --goal ship""",
)


@decisions.command()
@deciding
@click.option("--key", help="Your own name for it; recording it again changes nothing.")
@click.pass_obj
def record(call: Call, /, **given: Any) -> None:
    """Record a decision about a call of TOOL with INPUT.

    Secrets in INPUT and in every text are masked before anything is stored. A decision by a person
    is confirmed at a terminal: a program that runs commands is no person.

    \b
    Examples:
      erstwhile decisions record Bash '{"command": "npm publish"}' deny --goal ship --by person
    """
    decision = _confirmed(call, Decision(**options.given(given)))
    call.out.done("Recorded", call.memory.decisions.record(decision))


@decisions.command()
@request
@comparing
@click.pass_obj
def recall(call: Call, /, goal: str, tool: str, input: Any, **given: Any) -> None:
    """Find past decisions similar to a call of TOOL with INPUT.

    \b
    Examples:
      erstwhile decisions recall Bash '{"command": "npm publish"}' --goal ship
    """
    query = DecisionRequest(goal=goal, tool=tool, input=input)
    hits = call.memory.decisions.recall(query, **options.given(given))
    call.out.page(Page(tuple(hits)), NONE_LIKE_IT)


@decisions.command()
@request
@comparing
@click.option("--denials", type=int, help="How many denials of the same act deny.")
@click.option("--share", type=float, help="Their smallest share of all judgements.")
@click.pass_obj
def advise(call: Call, /, goal: str, tool: str, input: Any, **given: Any) -> None:
    """Show what past decisions suggest: allow, deny or ask.

    What is not given here comes from the setting `denials`.

    \b
    Examples:
      erstwhile decisions advise Bash '{"command": "npm publish"}' --goal ship
    """
    query = DecisionRequest(goal=goal, tool=tool, input=input)
    call.out.record(call.memory.decisions.advise(query, **options.given(given)))


decisions.method(
    "list",
    "List decisions, newest first.",
    "decisions list --tool Bash --choice deny",
    filters,
    options.deleted,
    options.paging,
    empty=NONE_HERE,
)
decisions.method(
    "show",
    "Show one decision with all its details.",
    "decisions show 019a8a5b-1234",
    one_id,
    calls="get",
)
decisions.method(
    "set-outcome",
    "Store the outcome of a decision.",
    'decisions set-outcome 019a8a5b-1234 "the build broke" --bad',
    one_id,
    click.argument("text"),
    click.option("--good/--bad", default=None, help="Whether it was good."),
    done="Recorded",
)


@decisions.command()
@click.argument("old", metavar="ID")
@deciding
@click.option("--reason", required=True, help="Why the earlier decision is no longer valid.")
@click.pass_obj
def supersede(call: Call, /, old: str, reason: str, **given: Any) -> None:
    """Record a decision that replaces the earlier one with this ID.

    \b
    Examples:
      erstwhile decisions supersede 019a8a5b Bash '"ls"' deny --goal a --by rule --reason b
    """
    decision = _confirmed(call, Decision(**options.given(given)))
    new = call.memory.decisions.supersede(old, decision, reason=reason)
    call.out.done("Superseded", new)


decisions.add_command(people)
decisions.add_command(vouch)


def _confirmed(call: Call, decision: Decision) -> Decision:
    """Return a decision; a decision by a person only if somebody at a terminal says so."""
    if decision.decided_by == Decider.PERSON:
        question = f"Did you decide this yourself: {decision.choice} {decision.tool}?"
        require_person(call, question)
    return decision


def _question(_call: Call, *ids: str, older_than: str = "", decided_by: str = "") -> str:
    by = f" by {decided_by}" if decided_by else ""
    which = ", ".join(ids) or f"decisions{by} older than {older_than}"
    return f"Destroy {safe_line(which)}, without any undo?"


decisions.delete_commands("decision")
decisions.destroy(
    "erase",
    "Destroy decisions for good, by ID or by age.",
    "decisions erase 019a8a5b-1234",
    click.argument("ids", metavar="[ID...]", nargs=-1),
    click.option("--older-than", metavar="AGE", help='Decided longer ago, such as "90 days".'),
    click.option(
        "--by",
        "decided_by",
        type=options.one_of(Decider),
        help="Only the old ones by this decider.",
    ),
    question=_question,
)


@decisions.command()
@filters
@click.pass_obj
def export(call: Call, /, **given: Any) -> None:
    """Write decisions as JSON, one per line, oldest first.

    \b
    Examples:
      erstwhile --everything decisions export --since 2026-01-01
    """
    from erstwhile.cli.json_output import written

    for decision in call.memory.decisions.export(**options.given(given)):
        click.echo(written(decision).encode())
