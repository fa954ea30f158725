"""`erstwhile identities`: which names belong to the same person."""

from __future__ import annotations

from typing import Any

import click

from erstwhile.cli import options
from erstwhile.cli.call import Call, confirm, working
from erstwhile.cli.record_commands import REWRITING
from erstwhile.cli.safe_text import safe_line

NONE_HERE = "No names are linked here.\nLink one: erstwhile identities link telegram:42 ana"


@click.group(cls=options.Commands)
def identities() -> None:
    """Say which names belong to the same person.

    With --resolve, --user takes any of them.

    \b
    Example:
      erstwhile identities link telegram:42 ana
    """


@identities.command()
@click.argument("alias")
@click.argument("person")
@options.reason
@click.pass_obj
def link(call: Call, /, alias: str, person: str, reason: str | None) -> None:
    """Say that ALIAS is another name of PERSON.

    \b
    Example:
      erstwhile identities link telegram:42 ana --reason "she said so"
    """
    linked = call.memory.identities.link(alias, person, reason=reason)
    call.out.done(f"Linked: {alias} is {person}", linked)


@identities.command()
@click.argument("alias")
@options.reason
@click.pass_obj
def unlink(call: Call, /, alias: str, reason: str | None) -> None:
    """Take a link back.

    \b
    Example:
      erstwhile identities unlink telegram:42
    """
    call.memory.identities.unlink(alias, reason=reason)
    call.out.done(f"No longer linked: {alias}", {"unlinked": alias})


@identities.command()
@click.argument("name")
@click.pass_obj
def resolve(call: Call, /, name: str) -> None:
    """Show the person whom a name means.

    \b
    Example:
      erstwhile identities resolve telegram:42
    """
    call.out.record({"person": call.memory.identities.resolve(name)})


@identities.command()
@click.argument("person")
@click.pass_obj
def aliases(call: Call, /, person: str) -> None:
    """Show all names that mean a person.

    \b
    Example:
      erstwhile identities aliases ana
    """
    call.out.record({"person": person, "aliases": call.memory.identities.aliases(person)})


@identities.command(name="list")
@options.paging
@click.pass_obj
def list_identities(call: Call, /, **asked: Any) -> None:
    """List all links, newest first.

    \b
    Example:
      erstwhile identities list
    """
    call.out.page(call.memory.identities.list(**options.said(asked)), NONE_HERE)


@identities.command()
@click.argument("aliases", metavar="ALIAS...", nargs=-1, required=True)
@options.yes
@click.pass_obj
def erase(call: Call, /, aliases: tuple[str, ...], yes: bool) -> None:
    """Destroy links for good, with what the audit trail says of them.

    \b
    Example:
      erstwhile identities erase telegram:42 --yes
    """
    named = safe_line(", ".join(aliases))
    confirm(lambda: f"Destroy the links of {named}, without any undo?", yes=yes)
    with working(REWRITING):
        receipt = call.memory.identities.erase(*aliases)
    call.out.done(f"Destroyed for good: {receipt.identities:,}", receipt)
