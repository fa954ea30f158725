"""`erstwhile maintain`: remove what is old, and tend the store."""

from __future__ import annotations

import click

from erstwhile.cli.call import Call, working
from erstwhile.cli.watching import repeat


@click.command()
@click.option(
    "--retain", "limits", multiple=True, metavar="LIMIT",
    help="A limit instead of the setting, such as 'messages 1 year' or 'usage 10000'; repeatable.",
)  # fmt: skip
@click.option("--preview", "--dry-run", is_flag=True, help="Only show what would be removed.")
@click.option("--compact", is_flag=True, help="Rewrite the store: no removed byte is left.")
@click.option("--every", metavar="TIME", help="Go on until a signal, such as '6 hours'.")
@click.pass_obj
def maintain(
    call: Call, /, limits: tuple[str, ...], preview: bool, compact: bool, every: str | None
) -> int:
    """Remove what outlived its retention, and tend the store.

    Without limits nothing that is stored is removed. The memory can be used meanwhile; one process
    at a time maintains it.

    \b
    Examples:
      erstwhile --db agent.db maintain --retain 'messages 1 year' --retain 'usage 10000' --preview
      erstwhile --db agent.db maintain --every '6 hours'
    """

    def once() -> None:
        with working("Maintaining…") as tell:
            done = call.store.maintain(
                ", ".join(limits) if limits else None,
                preview=preview,
                compact=compact,
                progress=call.followed(lambda step: tell(f"Maintaining: {step}…")),
            )
        call.out.record(done)

    return repeat(call, once, every)
