"""`erstwhile repair`: rebuild what can be derived, or salvage a damaged file."""

from __future__ import annotations

import click

import erstwhile
from erstwhile.cli.call import Call, working
from erstwhile.cli.exit_codes import REFUSED


@click.command()
@click.option("--into", metavar="FILE", help="Salvage a damaged file into this new one.")
@click.pass_obj
def repair(call: Call, /, into: str | None) -> int:
    """Rebuild what is derived, or salvage a damaged file.

    Search index, queue of vectors and counters are compared with the records, and made right. With
    --into, every row that can be read is copied into a new file first; the damaged file is never
    changed. The exit code is 4 if something was lost.

    \b
    Examples:
      erstwhile --db agent.db repair
      erstwhile --db agent.db repair --into salvaged.db
    """
    with working("Repairing…") as tell:
        done = erstwhile.repair(
            call.location,
            into=into,
            settings=call.settings,
            progress=lambda step: tell(f"Repairing: {step}…"),
        )
    call.out.record(done)
    return 0 if done.ok else REFUSED
