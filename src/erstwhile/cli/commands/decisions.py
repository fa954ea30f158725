"""`erstwhile decisions`: what was decided about tools, and what that suggests."""

from __future__ import annotations

import json
from typing import Any

import click

from erstwhile.cli import options
from erstwhile.cli.call import Call, confirm, working
from erstwhile.cli.safe_text import safe_line
from erstwhile.core.page import Page
from erstwhile.decisions.decision import (
    Choice,
    Decider,
    Decision,
    DecisionRequest,
    Lasting,
    Namespace,
)

NONE_HERE = (
    "No decision here fits.\n"
    'Record one: erstwhile decisions record Bash \'{"command": "npm publish"}\' deny --goal ship'
)
NONE_LIKE_IT = "No past decision is like this. Ask for weaker matches with --floor 0."
_REWRITING = "Removing the bytes from the file…"


def json_value(_context: click.Context, _param: click.Parameter, value: str) -> Any:
    """An argument written as JSON of any kind."""
    try:
        return json.loads(value)
    except (ValueError, RecursionError) as error:
        raise click.BadParameter(f"not JSON ({error})") from None


request = options.together(
    click.argument("tool"),
    click.argument("input", metavar="INPUT", callback=json_value),
    click.option("--goal", required=True, help="What the agent is working towards."),
)
comparing = options.together(
    click.option("--k", "k", type=int, help="How many at most; 5 unless said."),
    click.option(
        "--namespace", type=options.one_of(Namespace), help="Of this goal, or all (global)."
    ),
    click.option("--floor", type=float, help="How like it they must be, from 0 to 1."),
)
deciding = options.together(
    request,
    click.argument("choice", type=options.one_of(Choice)),
    click.option("--message", help="Why it is denied, or what was observed."),
    click.option("--rationale", help="The reasons."),
    click.option("--option", "options", multiple=True, help="What else was considered. Repeat."),
    click.option("--by", "decided_by", type=options.one_of(Decider), help="Person unless said."),
    click.option("--at", "decided_at", metavar="TIME", help="When; now unless said."),
    click.option("--turn", type=int, help="In which turn of the conversation."),
    click.option("--lasts", type=options.one_of(Lasting), help="How far it goes; always."),
    click.option("--transient", is_flag=True, default=None, help="It only came of a failure."),
)
filters = options.together(
    click.option("--goal", help="Made for this goal."),
    click.option("--tool", help="About this tool."),
    click.option("--choice", type=options.one_of(Choice), help="That allow, deny or observe."),
    click.option("--by", "decided_by", type=options.one_of(Decider), help="Made by whom."),
    click.option("--since", metavar="TIME", help="Decided at or after this time."),
    click.option("--until", metavar="TIME", help="Decided before this time."),
)


@click.group(cls=options.Commands)
def decisions() -> None:
    """Record decisions about tools, and ask what they suggest.

    An ID may be shortened while it stays unique. INPUT is the tool's input in JSON.

    \b
    Example:
      erstwhile decisions record Bash '{"command": "npm publish"}' deny --goal ship
      erstwhile decisions advise Bash '{"command": "npm publish"}' --goal ship
    """


@decisions.command()
@deciding
@click.option("--id", help="Of your own, a UUID; recording it again changes nothing.")
@click.pass_obj
def record(call: Call, /, **said: Any) -> None:
    """Record what was decided about a call of TOOL with INPUT.

    Secrets in INPUT and in every text are masked before anything is stored.

    \b
    Example:
      erstwhile decisions record Bash '{"command": "npm publish"}' deny --goal ship
    """
    call.out.done("Recorded", call.memory.decisions.record(Decision(**options.said(said))))


@decisions.command()
@request
@comparing
@click.pass_obj
def recall(call: Call, /, goal: str, tool: str, input: Any, **asked: Any) -> None:
    """Find the past decisions most like a call of TOOL with INPUT.

    \b
    Example:
      erstwhile decisions recall Bash '{"command": "npm publish"}' --goal ship
    """
    wanted = DecisionRequest(goal=goal, tool=tool, input=input)
    hits = call.memory.decisions.recall(wanted, **options.said(asked))
    call.out.page(Page(tuple(hits)), NONE_LIKE_IT)


@decisions.command()
@request
@comparing
@click.pass_obj
def advise(call: Call, /, goal: str, tool: str, input: Any, **asked: Any) -> None:
    """Tell what past decisions suggest: allow, deny or ask.

    \b
    Example:
      erstwhile decisions advise Bash '{"command": "npm publish"}' --goal ship
    """
    wanted = DecisionRequest(goal=goal, tool=tool, input=input)
    call.out.record(call.memory.decisions.advise(wanted, **options.said(asked)))


@decisions.command(name="list")
@filters
@options.paging
@click.pass_obj
def list_decisions(call: Call, /, **asked: Any) -> None:
    """List decisions, newest first.

    \b
    Example:
      erstwhile decisions list --tool Bash --choice deny
    """
    call.out.page(call.memory.decisions.list(**options.said(asked)), NONE_HERE)


@decisions.command()
@click.argument("id")
@click.pass_obj
def show(call: Call, /, id: str) -> None:
    """Show one decision, with all that is known of it.

    \b
    Example:
      erstwhile decisions show 019a8a5b-1234
    """
    call.out.record(call.memory.decisions.get(id))


@decisions.command()
@click.argument("id")
@click.argument("text")
@click.option("--good/--bad", default=None, help="Whether that was good.")
@click.pass_obj
def outcome(call: Call, /, id: str, text: str, good: bool | None) -> None:
    """Note what came of a decision.

    \b
    Example:
      erstwhile decisions outcome 019a8a5b-1234 "the build broke" --bad
    """
    call.out.done("Noted", call.memory.decisions.outcome(id, text, good=good))


@decisions.command()
@click.argument("old", metavar="ID")
@deciding
@click.option("--reason", required=True, help="Why the earlier one no longer holds.")
@click.pass_obj
def supersede(call: Call, /, old: str, reason: str, **said: Any) -> None:
    """Record a decision in the place of the earlier one with this ID.

    \b
    Example:
      erstwhile decisions supersede 019a8a5b Bash '{"command": "ls"}' allow --goal a --reason b
    """
    new = call.memory.decisions.supersede(old, Decision(**options.said(said)), reason=reason)
    call.out.done("Superseded", new)


@decisions.command()
@click.option("--older-than", metavar="AGE", required=True, help='Such as "90 days".')
@options.yes
@click.pass_obj
def prune(call: Call, /, older_than: str, yes: bool) -> None:
    """Destroy the decisions of exactly this scope that are older.

    \b
    Example:
      erstwhile --user ana decisions prune --older-than "90 days" --yes
    """
    confirm(lambda: f"Destroy decisions older than {safe_line(older_than)}?", yes=yes)
    with working(_REWRITING):
        receipt = call.memory.decisions.prune(older_than)
    call.out.done(f"Destroyed for good: decisions {receipt.decisions:,}", receipt)


@decisions.command()
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
@options.yes
@click.pass_obj
def delete(call: Call, /, ids: tuple[str, ...], yes: bool) -> None:
    """Destroy decisions for good, to the last byte.

    \b
    Example:
      erstwhile decisions delete 019a8a5b-1234 --yes
    """
    confirm(lambda: f"Destroy {safe_line(', '.join(ids))}, without any undo?", yes=yes)
    with working(_REWRITING):
        receipt = call.memory.decisions.delete(*ids)
    call.out.done(f"Destroyed for good: decisions {receipt.decisions:,}", receipt)


@decisions.command()
@filters
@click.pass_obj
def export(call: Call, /, **asked: Any) -> None:
    """Write decisions as JSON, one a line, oldest first.

    \b
    Example:
      erstwhile --everything decisions export --since 2026-01-01
    """
    from erstwhile.cli.json_output import written

    for decision in call.memory.decisions.export(**options.said(asked)):
        click.echo(written(decision).encode())
