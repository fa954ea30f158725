"""`erstwhile copy`: a whole memory, from one place to another."""

from __future__ import annotations

import click

import erstwhile
from erstwhile.cli.call import Call, counting


@click.command()
@click.argument("source")
@click.argument("target")
@click.option("--source-space", metavar="NAME", help="The space to copy, when it is on a server.")
@click.option("--target-space", metavar="NAME", help="The space to fill, when it is on a server.")
@click.pass_obj
def copy(
    call: Call, /, source: str, target: str, source_space: str | None, target_space: str | None
) -> None:
    """Copy the memory SOURCE to TARGET, and compare the two.

    Both are files or addresses of PostgreSQL databases. The source can be used meanwhile. Stopped
    half-way, it goes on where it was; run again later, it brings what is new.

    \b
    Example:
      erstwhile copy agent.db postgresql://localhost/memory
      erstwhile copy postgresql://localhost/memory backup.db --source-space shop
    """
    with counting("Copying") as tell:
        copied = erstwhile.copy(
            source,
            target,
            source_space=source_space,
            target_space=target_space,
            settings=call.settings,
            progress=tell,
        )
    rows = sum(copied.rows.values())
    call.out.done(f"Copied and compared: {rows:,} rows, {copied.written:,} of them new", copied)
