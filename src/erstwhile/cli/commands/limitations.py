"""`erstwhile limitations`: abilities that the agent does not have yet."""

from __future__ import annotations

import click

from erstwhile.cli import options
from erstwhile.cli.groups import Group, one_id
from erstwhile.records.model import LimitationStatus

NONE_HERE = (
    "No limitation here fits.\n"
    'Report one: erstwhile limitations add "Cannot send mail" --plan "ask for SMTP access"'
)

limitations = Group(
    "limitations",
    "Report limitations of the agent, and resolve them later.",
    "--agent coder limitations list",
)
limitations.method(
    "add",
    "Report a limitation, or count an open one of this title again.",
    '--agent coder limitations add "Cannot send mail" --plan "ask for SMTP access"',
    click.argument("title"),
    click.option("--description", metavar="TEXT", help="A description of the limitation."),
    click.option("--plan", metavar="TEXT", help="A plan to resolve it."),
    done="Reported",
)
limitations.method(
    "list",
    "List limitations, newest first.",
    "--agent coder limitations list --status any",
    click.option("--status", type=options.status_of(LimitationStatus), help="Open by default."),
    options.deleted,
    options.paging,
    empty=NONE_HERE,
)
limitations.method(
    "resolve",
    "Mark a limitation as resolved.",
    '--agent coder limitations resolve 019a8a5b-1234 --resolution "there is a tool now"',
    one_id,
    click.option("--resolution", metavar="TEXT", help="How it was resolved."),
    done="Resolved",
)
limitations.record_commands("limitation")
