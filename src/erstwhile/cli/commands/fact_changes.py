"""The commands of `erstwhile facts` that change or destroy."""

from __future__ import annotations

from typing import Any

import click

from erstwhile.cli import options
from erstwhile.cli.call import Call
from erstwhile.cli.record_commands import edit, erase, purge
from erstwhile.core.kinds import Ending


@click.command()
@click.argument("id")
@click.argument("text")
@click.option("--because", metavar="TEXT", help="Why; the history shows it.")
@options.details
@options.key
@click.pass_obj
def replace(call: Call, /, id: str, text: str, because: str | None, **details: Any) -> None:
    """Put TEXT in the place of a fact that was true until now.

    Kind, key, tags, metadata, expiry and pin are kept unless said.

    \b
    Example:
      erstwhile --user ana facts replace 019a8a5b-1234 "Ana prefers pnpm" --because "she said so"
    """
    fact = call.memory.facts.replace(id, text, because=because, **options.said(details))
    call.out.done("Replaced", fact)


@click.command()
@click.argument("id")
@click.option("--because", type=options.one_of(Ending), required=True, help="How it ended.")
@click.option("--ended", metavar="TIME", help="When it stopped being true; now unless said.")
@options.reason
@click.pass_obj
def retire(call: Call, /, id: str, because: str, ended: str | None, reason: str | None) -> None:
    """End a fact. Superseded: true once. Wrong: never true. Expired: its time ran out.

    \b
    Example:
      erstwhile --user ana facts retire 019a8a5b-1234 --because wrong --reason "a misunderstanding"
    """
    fact = call.memory.facts.retire(id, because, ended=ended, reason=reason)
    call.out.done("Retired", fact)


COMMANDS: tuple[click.Command, ...] = (
    replace,
    retire,
    edit(
        "facts",
        "undo",
        "Live again",
        "Take a retirement back. What had replaced the fact is then wrong.",
    ),
    edit(
        "facts", "confirm", "Confirmed", "Agree with a fact: more evidence, and out of quarantine."
    ),
    edit("facts", "pin", "Pinned", "Mark a fact as one that always matters."),
    edit("facts", "unpin", "Unpinned", "Take that mark away."),
    edit(
        "facts",
        "delete",
        "Deleted",
        "Hide a fact from every answer, until it is restored or purged.",
    ),
    edit("facts", "restore", "Restored", "Bring a deleted fact back as it was."),
    purge("facts"),
    erase("facts", "fact"),
)
