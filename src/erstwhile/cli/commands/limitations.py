"""`erstwhile limitations`: what cannot be done yet."""

from __future__ import annotations

from typing import Any

import click

from erstwhile.cli import options
from erstwhile.cli.call import Call
from erstwhile.cli.record_commands import deleted, record_commands
from erstwhile.records.model import LimitationStatus

NONE_HERE = (
    "No limitation here fits.\n"
    'Report one: erstwhile limitations add "Cannot send mail" --plan "ask for SMTP access"'
)


@click.group(cls=options.Commands)
def limitations() -> None:
    """Report what cannot be done, and say when it can.

    \b
    Example:
      erstwhile --agent coder limitations list
    """


@limitations.command()
@click.argument("title")
@click.option("--description", metavar="TEXT", help="What exactly.")
@click.option("--plan", metavar="TEXT", help="What could be done about it.")
@click.pass_obj
def add(call: Call, /, title: str, **parts: str | None) -> None:
    """Report a limitation. Count an open one of that title again.

    \b
    Example:
      erstwhile --agent coder limitations add "Cannot send mail" --plan "ask for SMTP access"
    """
    call.out.done("Reported", call.memory.limitations.add(title, **parts))


@limitations.command(name="list")
@click.option("--status", type=options.one_of(LimitationStatus), help="Open unless said.")
@deleted
@options.paging
@click.pass_obj
def list_limitations(call: Call, /, **asked: Any) -> None:
    """List limitations, newest first.

    \b
    Example:
      erstwhile --agent coder limitations list --status any
    """
    call.out.page(call.memory.limitations.list(**options.said(asked)), NONE_HERE)


@limitations.command()
@click.argument("id")
@click.option("--resolution", metavar="TEXT", help="How it came about.")
@click.pass_obj
def resolve(call: Call, /, id: str, resolution: str | None) -> None:
    """Say that a limitation holds no longer.

    \b
    Example:
      erstwhile --agent coder limitations resolve 019a8a5b-1234 --resolution "there is a tool now"
    """
    call.out.done("Resolved", call.memory.limitations.resolve(id, resolution=resolution))


for command in record_commands("limitations", "limitation"):
    limitations.add_command(command)
