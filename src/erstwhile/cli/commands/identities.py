"""`erstwhile identities`: the names that belong to one person."""

from __future__ import annotations

import click

from erstwhile.cli import options
from erstwhile.cli.call import Call
from erstwhile.cli.groups import Group
from erstwhile.cli.safe_text import safe_line

NONE_HERE = "No names are linked here.\nLink one: erstwhile identities link telegram:42 ana"

identities = Group(
    "identities",
    "Link the names that belong to one person.\n\nWith --resolve, --user takes any of them.",
    "identities link telegram:42 ana",
)
identities.method(
    "link",
    "Store that ALIAS is another name of PERSON.",
    'identities link telegram:42 ana --reason "she said so"',
    click.argument("alias"),
    click.argument("person"),
    options.reason,
    done=lambda linked: f"Linked: {linked.alias} is {linked.person}",
)


@identities.command()
@click.argument("alias")
@options.reason
@click.pass_obj
def unlink(call: Call, /, alias: str, reason: str | None) -> None:
    """Remove a link.

    \b
    Examples:
      erstwhile identities unlink telegram:42
    """
    call.memory.identities.unlink(alias, reason=reason)
    call.out.done(f"No longer linked: {alias}", {"unlinked": alias})


identities.method(
    "resolve",
    "Show which person a name belongs to.",
    "identities resolve telegram:42",
    click.argument("name"),
    field="person",
)


@identities.command()
@click.argument("person")
@click.pass_obj
def aliases(call: Call, /, person: str) -> None:
    """Show all names of a person.

    \b
    Examples:
      erstwhile identities aliases ana
    """
    call.out.record({"person": person, "aliases": call.memory.identities.aliases(person)})


identities.method(
    "list", "List all links, newest first.", "identities list", options.paging, empty=NONE_HERE
)
identities.destroy(
    "erase",
    "Destroy links permanently, with their audit entries.",
    "identities erase telegram:42",
    click.argument("aliases", metavar="ALIAS...", nargs=-1, required=True),
    question=lambda _call, *aliases: (
        f"Destroy the links of {safe_line(', '.join(aliases))}, without any undo?"
    ),
)
