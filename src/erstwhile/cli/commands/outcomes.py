"""`erstwhile outcomes`: how things turned out."""

from __future__ import annotations

from typing import Any

import click

from erstwhile.cli import options
from erstwhile.cli.call import Call
from erstwhile.cli.record_commands import deleted, record_commands
from erstwhile.core.page import Page

NONE_HERE = (
    "No outcome here fits.\n"
    'Note one: erstwhile outcomes add "code review" 1 --note "found the race"'
)


@click.group(cls=options.Commands)
def outcomes() -> None:
    """Note how things turned out, and how often they went well.

    \b
    Example:
      erstwhile --user ana outcomes add "code review" 1 --note "found the race"
      erstwhile --user ana outcomes tally
    """


@outcomes.command(context_settings={"ignore_unknown_options": True})
@click.argument("domain")
@click.argument("score", type=int)
@click.option("--note", metavar="TEXT", help="What happened.")
@click.option("--source", metavar="NAME", help="Where the verdict is from.")
@click.pass_obj
def add(call: Call, /, domain: str, score: int, **details: Any) -> None:
    """Note a result. SCORE is 1 (good), 0 (neither) or -1 (bad).

    \b
    Example:
      erstwhile --user ana outcomes add deploy -1 --note "forgot the migration"
    """
    call.out.done("Noted", call.memory.outcomes.add(domain, score, **details))


@outcomes.command(name="list")
@click.option("--domain", metavar="NAME", help="Of this domain.")
@click.option("--score", type=int, help="With this score.")
@options.period
@deleted
@options.paging
@click.pass_obj
def list_outcomes(call: Call, /, **asked: Any) -> None:
    """List outcomes, newest first.

    \b
    Example:
      erstwhile --user ana outcomes list --domain deploy --since "7 days ago"
    """
    call.out.page(call.memory.outcomes.list(**options.said(asked)), NONE_HERE)


@outcomes.command()
@click.option("--domain", metavar="NAME", help="Of this domain.")
@options.period
@click.pass_obj
def tally(call: Call, /, **asked: Any) -> None:
    """Count good, bad and other outcomes by domain and project.

    \b
    Example:
      erstwhile --user ana outcomes tally --since "30 days ago"
    """
    call.out.page(Page(tuple(call.memory.outcomes.tally(**options.said(asked)))), NONE_HERE)


for command in record_commands("outcomes", "outcome"):
    outcomes.add_command(command)
