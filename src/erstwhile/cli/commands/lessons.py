"""`erstwhile lessons`: rules that were learned."""

from __future__ import annotations

from typing import Any

import click

from erstwhile.cli import options
from erstwhile.cli.call import Call
from erstwhile.cli.record_commands import deleted, record_commands

NONE_HERE = (
    "No lesson here fits.\n"
    'Learn one: erstwhile lessons add deploy "Run the migrations before the restart"'
)


@click.group(cls=options.Commands)
def lessons() -> None:
    """Add rules, and list the most useful ones.

    \b
    Example:
      erstwhile --project shop lessons list --domain deploy
    """


@lessons.command()
@click.argument("domain")
@click.argument("rule")
@click.pass_obj
def add(call: Call, /, domain: str, rule: str) -> None:
    """Add a rule, or reinforce it if it is known.

    The ten most useful lessons of each domain are kept.

    \b
    Example:
      erstwhile --project shop lessons add deploy "Run the migrations before the restart"
    """
    call.out.done("Added", call.memory.lessons.add(domain, rule))


@lessons.command(name="list")
@click.option("--domain", metavar="NAME", help="Of this domain.")
@deleted
@options.paging
@click.pass_obj
def list_lessons(call: Call, /, **asked: Any) -> None:
    """List lessons: the project's first, the most useful first.

    \b
    Example:
      erstwhile --project shop lessons list
    """
    call.out.page(call.memory.lessons.list(**options.said(asked)), NONE_HERE)


for command in record_commands("lessons", "lesson"):
    lessons.add_command(command)
