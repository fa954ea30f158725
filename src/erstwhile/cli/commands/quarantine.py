"""`erstwhile quarantine`: what waits for somebody's word."""

from __future__ import annotations

from typing import Any

import click

from erstwhile.cli import options
from erstwhile.cli.call import Call
from erstwhile.cli.record_commands import edit

NONE_HERE = "Nothing is in quarantine here."


@click.group(cls=options.Commands)
def quarantine() -> None:
    """See what was held back, and let it in or turn it away.

    \b
    Example:
      erstwhile --user ana quarantine list
    """


@quarantine.command(name="list")
@options.paging
@click.pass_obj
def list_quarantine(call: Call, /, **asked: Any) -> None:
    """List what is in quarantine, newest first, each with the reason.

    \b
    Example:
      erstwhile --user ana quarantine list
    """
    call.out.page(call.memory.quarantine.list(**options.said(asked)), NONE_HERE)


quarantine.add_command(
    edit("quarantine", "approve", "Approved", "Let a fact in: it is recalled from now on.")
)
quarantine.add_command(
    edit(
        "quarantine",
        "reject",
        "Rejected",
        "Retire a fact as wrong. From outside it does not come back.",
    )
)
