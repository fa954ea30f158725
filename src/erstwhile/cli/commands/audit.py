"""`erstwhile audit`: the trail of all changes."""

from __future__ import annotations

import click

from erstwhile.cli import exit_codes, options
from erstwhile.cli.call import Call, working
from erstwhile.cli.groups import Group

audit = Group(
    "audit",
    "List all changes, and verify the audit trail.",
    "--user ana audit list",
    "--everything audit verify",
)
audit.method(
    "list",
    "List changes, newest first: who did what, when and why.",
    "--user ana audit list --since yesterday --action retire",
    click.option(
        "--subject", metavar="ID", help="Only changes of this record; you may shorten the id."
    ),
    click.option("--action", help="Of this action only, such as remember or retire."),
    options.period,
    options.paging,
    empty="No change in this scope matches.",
)


@audit.command()
@click.pass_context
def verify(context: click.Context) -> None:
    """Check each entry of the trail, and each fact against it. Exit code 4 if there are problems.

    \b
    Examples:
      erstwhile --everything audit verify
    """
    call: Call = context.obj
    with working("Checking the trail…"):
        found = call.memory.audit.verify()
    call.out.record(found)
    context.exit(0 if found.ok else exit_codes.REFUSED)
