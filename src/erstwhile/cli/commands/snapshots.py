"""`erstwhile snapshots`: named moments, to compare facts and blocks with and to return to."""

from __future__ import annotations

import click

from erstwhile.cli import options
from erstwhile.cli.call import Call
from erstwhile.cli.groups import Group
from erstwhile.cli.safe_text import safe_line

NONE_HERE = "No snapshot here fits.\nCreate one: erstwhile snapshots create before-cleanup"
named = click.argument("name")
partial = click.option(
    "--partial", is_flag=True, help="Leave out what was erased or pruned since, without an error."
)

snapshots = Group(
    "snapshots",
    "Give names to moments, compare them, and return to one.\n\nFacts and blocks take part.",
    "snapshots create before-cleanup",
    "snapshots diff before-cleanup",
)
snapshots.method(
    "create",
    "Give a name to this moment, or to an earlier one.",
    "snapshots create before-cleanup",
    named,
    click.option("--at", metavar="TIME", help="The moment; now by default."),
    click.option("--description", metavar="TEXT", help="What it is for."),
    done="Created",
)
snapshots.method("show", "Show one snapshot.", "snapshots show before-cleanup", named, calls="get")
snapshots.method(
    "list",
    "List snapshots, the last created first.",
    "snapshots list",
    options.deleted,
    options.paging,
    empty=NONE_HERE,
)


@snapshots.command()
@named
@click.argument("other", required=False)
@partial
@click.option("--markdown", is_flag=True, help="Write a report for people to read.")
@click.pass_obj
def diff(call: Call, /, name: str, other: str | None, partial: bool, markdown: bool) -> None:
    """Show what was learned, changed and ended since a snapshot.

    With OTHER, show what differs between the two.

    \b
    Examples:
      erstwhile snapshots diff before-cleanup
      erstwhile snapshots diff monday friday --markdown
    """
    found = call.memory.snapshots.diff(name, other, partial=partial)
    if markdown:
        click.echo(found.report, nl=False)
    else:
        call.out.record(found)


snapshots.method(
    "restore",
    "Bring facts and blocks back to the state of a snapshot.",
    "snapshots restore before-cleanup",
    named,
    partial,
    options.reason,
    done=lambda done: f"Restored; to undo it: erstwhile snapshots restore '{done.before.name}'",
)
snapshots.method(
    "delete",
    "Hide a snapshot until it is purged. Its name is free again.",
    "snapshots delete before-cleanup",
    named,
    options.reason,
    done="Deleted",
)
snapshots.purge()
snapshots.destroy(
    "erase",
    "Destroy a snapshot for good; facts and blocks stay.",
    "snapshots erase before-cleanup",
    named,
    question=lambda _call, name: f"Destroy the snapshot {safe_line(name)} for good?",
)
