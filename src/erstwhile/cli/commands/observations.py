"""`erstwhile observations`: what was noticed at work."""

from __future__ import annotations

from typing import Any

import click

from erstwhile.cli import options
from erstwhile.cli.call import Call
from erstwhile.cli.record_commands import deleted, record_commands
from erstwhile.records.model import ObservationType

NONE_HERE = (
    "No observation here fits.\n"
    'Note one: erstwhile observations add bugfix "The worker raced its own shutdown"'
)
of_type = click.option("--type", type=options.one_of(ObservationType), help="Of this type.")


@click.group(cls=options.Commands)
def observations() -> None:
    """Note what was noticed, and find it again.

    \b
    Example:
      erstwhile --project shop observations search "why does the worker hang?"
    """


@observations.command()
@click.argument("type", type=options.one_of(ObservationType))
@click.argument("title")
@click.option("--what", metavar="TEXT", help="What it is.")
@click.option("--why", metavar="TEXT", help="Why it is so.")
@click.option("--where", metavar="TEXT", help="Where it was noticed.")
@click.option("--learned", metavar="TEXT", help="What it taught.")
@click.pass_obj
def add(call: Call, /, type: str, title: str, **parts: str | None) -> None:
    """Note something under a title.

    TYPE is bugfix, decision, pattern, config, discovery, learning or architecture.

    \b
    Example:
      erstwhile --project shop observations add bugfix "The worker raced" --where src/worker.py
    """
    call.out.done("Noted", call.memory.observations.add(type, title, **parts))


@observations.command(name="list")
@of_type
@options.period
@deleted
@options.paging
@click.pass_obj
def list_observations(call: Call, /, **asked: Any) -> None:
    """List observations, newest first.

    \b
    Example:
      erstwhile --project shop observations list --type decision
    """
    call.out.page(call.memory.observations.list(**options.said(asked)), NONE_HERE)


@observations.command()
@click.argument("query")
@of_type
@options.period
@click.option("--limit", type=int, help="How many at most.")
@click.pass_obj
def search(call: Call, /, query: str, **asked: Any) -> None:
    """Find observations by their words, best first.

    \b
    Example:
      erstwhile --project shop observations search "worker shutdown" --type bugfix
    """
    call.out.page(call.memory.observations.search(query, **options.said(asked)), NONE_HERE)


for command in record_commands("observations", "observation"):
    observations.add_command(command)
