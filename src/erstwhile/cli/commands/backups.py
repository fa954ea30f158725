"""`erstwhile backup` and `restore`: copies of the whole memory to fall back on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

import erstwhile
from erstwhile.cli.call import Call, counting
from erstwhile.cli.person import Arrival, unvouched_note, vouching
from erstwhile.cli.watching import repeat

if TYPE_CHECKING:
    from erstwhile.backups.backup import Backup


@click.command()
@click.argument("folder")
@click.option("--keep", type=int, metavar="N", help="Remove all but the newest N backups.")
@click.option("--keep-for", metavar="AGE", help="Remove older backups, such as '30 days'.")
@click.option("--every", metavar="TIME", help="Go on until a signal, such as '6 hours'.")
@click.pass_obj
def backup(
    call: Call, /, folder: str, keep: int | None, keep_for: str | None, every: str | None
) -> int:
    """Write a verified backup of the memory into FOLDER.

    The memory can be used meanwhile. A backup is a file with one snapshot of all scopes. It gets
    its name after its pages, its rows and its audit trail were checked. Only older backups of the
    same memory are removed, and never the newest one.

    \b
    Examples:
      erstwhile --db agent.db backup backups --keep 7
      erstwhile --db agent.db backup backups --every '6 hours' --keep-for '30 days'
    """

    def once() -> None:
        with counting("Backing up") as tell:
            made = erstwhile.backup(
                call.location,
                folder,
                keep=keep,
                keep_for=keep_for,
                settings=call.settings,
                progress=tell,
            )
        call.out.done(_told(made), made)

    return repeat(call, once, every)


@click.command()
@click.argument("file", metavar="BACKUP")
@click.option("--overwrite", is_flag=True, help="Replace a memory that is there; save it first.")
@vouching
@click.pass_obj
def restore(call: Call, /, file: str, overwrite: bool, vouch: bool) -> None:
    """Restore BACKUP to the memory that --db names.

    The backup is checked first. A memory that is there is replaced only with --overwrite, and saved
    first, beside the file, or beside the backup if it is on a server. Stop the programs that use
    the memory. What people decided there is replaced only by a person at a terminal. What people
    allowed in the backup allows nothing, unless somebody at a terminal vouches for it.

    \b
    Examples:
      erstwhile --db agent.db restore backups/agent.20261117T093000000000Z.db --overwrite
    """
    arrival = Arrival(file, call.location, call.settings, replaces=overwrite)
    arrival.check(vouch=vouch)
    with counting("Restoring") as tell:
        restored = erstwhile.restore(
            file,
            call.location,
            overwrite=overwrite,
            vouch=vouch,
            settings=call.settings,
            progress=tell,
        )
    saved = f"; what was there is in {restored.saved}" if restored.saved else ""
    told = f"Restored {restored.rows:,} rows to {restored.target}{saved}"
    call.out.done(f"{told}{unvouched_note(restored.unvouched)}", restored)


def _told(made: Backup) -> str:
    rows, gone = sum(made.rows.values()), len(made.removed)
    removed = f"; older ones removed: {gone}" if gone else ""
    return f"Backed up and verified: {rows:,} rows in {made.path}{removed}"
