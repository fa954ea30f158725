"""The commands of `recollect facts` that change or destroy."""

from __future__ import annotations

from typing import Any

import click

from recollect.cli import options
from recollect.cli.call import Call, confirm, working
from recollect.cli.safe import safe_line
from recollect.model.erasure import Receipt
from recollect.model.errors import NotFoundError
from recollect.model.kinds import Ending

_REWRITING = "Rewriting the file, so that no byte is left…"


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
      recollect --user ana facts replace 019a8a5b-1234 "Ana prefers pnpm" --because "she said so"
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
      recollect --user ana facts retire 019a8a5b-1234 --because wrong --reason "a misunderstanding"
    """
    fact = call.memory.facts.retire(id, because, ended=ended, reason=reason)
    call.out.done("Retired", fact)


@click.command()
@click.option("--older-than", metavar="AGE", help="Deleted longer ago; 30 days unless said.")
@options.yes
@click.pass_obj
def purge(call: Call, /, older_than: str | None, yes: bool) -> None:
    """Destroy what was deleted some time ago, in exactly this scope.

    \b
    Example:
      recollect --user ana facts purge --older-than "90 days" --yes
    """
    asked = options.said({"older_than": older_than})
    limit = safe_line(older_than or "30 days")
    confirm(lambda: f"Destroy for good what was deleted long ago (limit: {limit})?", yes=yes)
    with working(_REWRITING):
        receipt = call.memory.facts.purge(**asked)
    call.out.done(_told(receipt), receipt)


@click.command()
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
@options.yes
@click.pass_obj
def erase(call: Call, /, ids: tuple[str, ...], yes: bool) -> None:
    """Destroy facts for good, to the last byte.

    Text, history, links and the bytes in the file: what is erased cannot be brought back.

    \b
    Example:
      recollect --user ana facts erase 019a8a5b-1234 --yes
    """
    confirm(lambda: _question(call, ids), yes=yes)
    with working(_REWRITING):
        receipt = call.memory.facts.erase(*ids)
    call.out.done(_told(receipt), receipt)


def _question(call: Call, ids: tuple[str, ...]) -> str:
    """Shows what a shortened id stands for, since it cannot be taken back."""
    lines = [f"  {_meant(call, id)}" for id in ids]
    return "\n".join(("For good:", *lines, "Destroy, without any undo?"))


def _meant(call: Call, id: str) -> str:
    try:
        fact = call.memory.facts.get(id)
    except NotFoundError:  # it may be deleted, and can be erased all the same
        return safe_line(id)
    return f"{fact.short_id}  {safe_line(fact.text)}"


def _told(receipt: Receipt) -> str:
    if not receipt.ids:
        return "There was nothing to destroy"
    return f"Destroyed for good: facts {receipt.facts:,}, earlier states {receipt.versions:,}"


def _edit(name: str, told: str, help: str) -> click.Command:
    """A command that does one thing to one fact, as the method of the same name does."""

    @click.command(
        name=name, help=f"{help}\n\n\b\nExample:\n  recollect facts {name} 019a8a5b-1234"
    )
    @click.argument("id")
    @options.reason
    @click.pass_obj
    def edit(call: Call, /, id: str, reason: str | None) -> None:
        call.out.done(told, getattr(call.memory.facts, name)(id, reason=reason))

    return edit


COMMANDS: tuple[click.Command, ...] = (
    replace,
    retire,
    _edit(
        "undo", "Live again", "Take a retirement back. What had replaced the fact is then wrong."
    ),
    _edit("confirm", "Confirmed", "Agree with a fact: more evidence, and out of quarantine."),
    _edit("pin", "Pinned", "Mark a fact as one that always matters."),
    _edit("unpin", "Unpinned", "Take that mark away."),
    _edit("delete", "Deleted", "Hide a fact from every answer, until it is restored or purged."),
    _edit("restore", "Restored", "Bring a deleted fact back as it was."),
    purge,
    erase,
)
