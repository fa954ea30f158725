"""`erstwhile export`: a memory as a file for other programs, or for people."""

from __future__ import annotations

import click

import erstwhile
from erstwhile.cli.call import Call, counting


@click.command("export")
@click.argument("file")
@click.option(
    "--format",
    "form",
    type=click.Choice(("jsonl", "markdown")),
    default="jsonl",
    show_default=True,
    help="JSON lines with everything, or live facts and blocks to read.",
)
@click.option("--vectors", is_flag=True, help="Also write the vectors.")
@click.pass_obj
def export(call: Call, /, file: str, form: str, vectors: bool) -> None:
    """Write one snapshot of the memory to FILE.

    The memory can be used meanwhile. With --user, --agent, --project or --session, only that scope
    and all narrower ones are written; with --user, those of all names of the person. Erased records
    are not there any more. The file is as confidential as the memory.

    \b
    Examples:
      erstwhile --db agent.db export agent.jsonl
      erstwhile --db agent.db --user ana export ana.jsonl
      erstwhile --db agent.db --user ana export ana.md --format markdown
    """
    with counting("Exporting") as tell:
        made = erstwhile.export(
            call.location,
            file,
            format=form,
            vectors=vectors,
            settings=call.settings,
            progress=tell,
            **call.narrowing,
        )
    lines = sum(made.lines.values())
    call.out.done(f"Exported {lines:,} records of {made.scopes:,} scopes to {made.path}", made)
