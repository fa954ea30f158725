"""`erstwhile observations`: notes that the agent took at work."""

from __future__ import annotations

import click

from erstwhile.cli import options
from erstwhile.cli.groups import Group
from erstwhile.records.model import ObservationType

NONE_HERE = (
    "No observation here fits.\n"
    'Add one: erstwhile observations add bugfix "The worker raced its own shutdown"'
)
of_type = click.option("--type", type=options.one_of(ObservationType), help="Of this type.")

observations = Group(
    "observations",
    "Take notes at work, and find them again.",
    '--project shop observations search "why does the worker hang?"',
)
observations.method(
    "add",
    "Store a note under a title.\n\n"
    "TYPE is bugfix, decision, pattern, config, discovery, learning or architecture.",
    '--project shop observations add bugfix "The worker raced" --where src/worker.py',
    click.argument("type", type=options.one_of(ObservationType)),
    click.argument("title"),
    click.option("--what", metavar="TEXT", help="What was observed."),
    click.option("--why", metavar="TEXT", help="Why it is so."),
    click.option("--where", metavar="TEXT", help="Where it was observed."),
    click.option("--learned", metavar="TEXT", help="What to learn from it."),
    done="Added",
)
observations.method(
    "list",
    "List observations, newest first.",
    "--project shop observations list --type decision",
    of_type,
    options.period,
    options.deleted,
    options.paging,
    empty=NONE_HERE,
)
observations.method(
    "search",
    "Find observations by words and meaning, best first.",
    '--project shop observations search "worker shutdown" --type bugfix',
    click.argument("query"),
    of_type,
    options.period,
    options.floor,
    options.limit,
    empty=NONE_HERE,
)
observations.record_commands("observation")
