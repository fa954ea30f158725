"""`erstwhile stats`: how much is remembered."""

from __future__ import annotations

import click

from erstwhile.cli.call import Call


@click.command()
@click.pass_obj
def stats(call: Call) -> None:
    """Show how much is remembered, and how large the store is.

    \b
    Example:
      erstwhile --user ana stats
    """
    call.out.record(call.memory.stats())
