"""`erstwhile conflicts`: facts that may contradict each other."""

from __future__ import annotations

from typing import Any

import click

from erstwhile.cli import options
from erstwhile.cli.call import Call

NONE_HERE = "No conflict here fits."


@click.group(cls=options.Commands)
def conflicts() -> None:
    """See which facts may contradict each other, and settle it.

    \b
    Example:
      erstwhile --user ana conflicts list
    """


@conflicts.command(name="list")
@click.option("--settled", is_flag=True, help="Those that were settled instead.")
@options.paging
@click.pass_obj
def list_conflicts(call: Call, /, settled: bool, **asked: Any) -> None:
    """List conflicts, newest first; open ones unless said.

    \b
    Example:
      erstwhile --user ana conflicts list --settled
    """
    page = call.memory.conflicts.list(settled=settled, **options.said(asked))
    call.out.page(page, NONE_HERE)


@conflicts.command()
@click.argument("id")
@click.pass_obj
def show(call: Call, /, id: str) -> None:
    """Show one conflict whole.

    \b
    Example:
      erstwhile --user ana conflicts show 019a8a5b-1234
    """
    call.out.record(call.memory.conflicts.get(id))


@conflicts.command()
@click.argument("id")
@click.option("--keep", metavar="FACT", help="The fact that stays; both do unless said.")
@options.reason
@click.pass_obj
def settle(call: Call, /, id: str, keep: str | None, reason: str | None) -> None:
    """Say which of the two facts stays: the other is superseded by it.

    \b
    Example:
      erstwhile --user ana conflicts settle 019a8a5b-1234 --keep 019a8a5b-5678
    """
    call.out.done("Settled", call.memory.conflicts.settle(id, keep, reason=reason))
