"""`erstwhile lessons`: rules that the agent learned from its work."""

from __future__ import annotations

import click

from erstwhile.cli import options
from erstwhile.cli.groups import Group

NONE_HERE = (
    "No lesson here fits.\n"
    'Add one: erstwhile lessons add deploy "Run the migrations before the restart"'
)

lessons = Group(
    "lessons",
    "Add rules, and list the most useful ones.",
    "--project shop lessons list --domain deploy",
)
lessons.method(
    "add",
    "Add a rule, or reinforce it if it is known.\n\nEach domain keeps its ten most useful lessons.",
    '--project shop lessons add deploy "Run the migrations before the restart"',
    click.argument("domain"),
    click.argument("rule"),
    done="Added",
)
lessons.method(
    "list",
    "List lessons: the project's first, the most useful first.",
    "--project shop lessons list",
    click.option("--domain", metavar="NAME", help="Of this domain."),
    options.deleted,
    options.paging,
    empty=NONE_HERE,
)
lessons.record_commands("lesson")
