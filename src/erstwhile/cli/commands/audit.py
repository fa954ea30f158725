"""`erstwhile audit`: who changed what, and whether anybody did so behind the trail."""

from __future__ import annotations

from typing import Any

import click

from erstwhile.cli import exit_codes, options
from erstwhile.cli.call import Call, working


@click.group(cls=options.Commands)
def audit() -> None:
    """Read the trail of all changes, and check that it is whole.

    \b
    Example:
      erstwhile --user ana audit list
      erstwhile --everything audit verify
    """


@audit.command(name="list")
@click.option("--subject", metavar="ID", help="Of this fact or entity; the id may be shortened.")
@click.option("--action", help="Of this action only, such as remember or retire.")
@click.option("--since", metavar="TIME", help="At or after this time.")
@click.option("--until", metavar="TIME", help="Before this time.")
@options.paging
@click.pass_obj
def list_entries(call: Call, /, **asked: Any) -> None:
    """List changes, newest first: who did what, when and why.

    \b
    Example:
      erstwhile --user ana audit list --since yesterday --action retire
    """
    page = call.memory.audit.list(**options.said(asked))
    call.out.page(page, "No change that fits is on the trail of this scope.")


@audit.command()
@click.pass_context
def verify(context: click.Context) -> None:
    """Check each link of the trail, and each fact against it. With problems, exit code 4.

    \b
    Example:
      erstwhile --everything audit verify
    """
    call: Call = context.obj
    with working("Checking the trail…"):
        found = call.memory.audit.verify()
    call.out.record(found)
    context.exit(0 if found.ok else exit_codes.REFUSED)
