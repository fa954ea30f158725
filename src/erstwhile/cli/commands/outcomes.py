"""`erstwhile outcomes`: good and bad results of the agent's work."""

from __future__ import annotations

from typing import Any

import click

from erstwhile.cli import options
from erstwhile.cli.call import Call
from erstwhile.cli.groups import Group

NONE_HERE = (
    'No outcome here fits.\nAdd one: erstwhile outcomes add "code review" 1 --note "found the race"'
)
domain = click.option("--domain", metavar="NAME", help="Of this domain.")

outcomes = Group(
    "outcomes",
    "Record results, and count how often the work went well.",
    '--user ana outcomes add "code review" 1 --note "found the race"',
    "--user ana outcomes tally",
)


@outcomes.command(context_settings={"ignore_unknown_options": True})  # -1 is no option
@click.argument("domain")
@click.argument("score", type=int)
@click.option("--note", metavar="TEXT", help="What happened.")
@click.option("--source", metavar="NAME", help="Who or what judged the result.")
@click.pass_obj
def add(call: Call, /, domain: str, score: int, **details: Any) -> None:
    """Record a result. SCORE is 1 (good), 0 (neutral) or -1 (bad).

    \b
    Examples:
      erstwhile --user ana outcomes add deploy -1 --note "forgot the migration"
    """
    call.out.done("Added", call.memory.outcomes.add(domain, score, **details))


outcomes.method(
    "list",
    "List outcomes, newest first.",
    '--user ana outcomes list --domain deploy --since "7 days ago"',
    domain,
    click.option("--score", type=int, help="With this score."),
    options.period,
    options.deleted,
    options.paging,
    empty=NONE_HERE,
)
outcomes.method(
    "tally",
    "Count good, bad and neutral outcomes by domain and project.",
    '--user ana outcomes tally --since "30 days ago"',
    domain,
    options.period,
    empty=NONE_HERE,
)
outcomes.record_commands("outcome")
