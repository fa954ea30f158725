"""`erstwhile audit`: the trail of all changes."""

from __future__ import annotations

import click

from erstwhile.cli import exit_codes, options
from erstwhile.cli.call import Call, confirm, working
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


@audit.command("repair-time")
@click.option("--preview", is_flag=True, help="Only show what would be moved.")
@options.yes
@click.pass_obj
def repair_time(call: Call, /, preview: bool, yes: bool) -> None:
    """Move times in the future back, after a clock was wrong.

    Set the clock of this machine right first. The times since the first wrong one are moved
    together, and the chains of the audit trail are made anew.

    \b
    Examples:
      erstwhile --everything audit repair-time --preview
      erstwhile --everything audit repair-time --yes
    """
    seen = call.memory.audit.repair_time(preview=True)
    if preview or not seen.entries:
        call.out.record(seen)
        return
    confirm(lambda: f"Move the times of {seen.entries:,} changes, {seen.first} and later?", yes=yes)
    done = call.memory.audit.repair_time()
    call.out.done(f"Moved the times of {done.entries:,} changes", done)
