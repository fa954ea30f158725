"""`erstwhile entities`: people and things that the facts are about."""

from __future__ import annotations

import click

from erstwhile.cli import options
from erstwhile.cli.call import Call
from erstwhile.cli.groups import Group

NONE_HERE = (
    "No live fact here names an entity.\n"
    'Name one: erstwhile remember "The shop runs on Postgres" --entity Postgres'
)
names = options.together(
    click.argument("name"),
    click.argument("aliases", metavar="ALIAS...", nargs=-1, required=True),
    options.reason,
)

entities = Group(
    "entities",
    "See which people and things the facts are about.",
    "--user ana entities show Postgres",
)
entities.method(
    "list",
    "List entities by name, with their number of live facts.",
    "--user ana entities list",
    options.past,
    options.paging,
    empty=NONE_HERE,
)
entities.method(
    "show",
    "Show one entity, its newest facts and its links.\n\nNAME is its name or an alias.",
    "--user ana entities show Postgres",
    click.argument("name"),
    click.option("--limit", type=int, help="The maximum number of facts and of neighbours."),
    options.past,
    calls="get",
)


@entities.command()
@names
@click.pass_obj
def add_alias(call: Call, /, name: str, aliases: tuple[str, ...], reason: str | None) -> None:
    """Give an entity other names.

    \b
    Examples:
      erstwhile --user ana entities add-alias Postgres PostgreSQL pg
    """
    call.memory.entities.add_alias(name, *aliases, reason=reason)
    call.out.done("Added the names", {"name": name, "added": aliases})


@entities.command()
@names
@click.pass_obj
def remove_alias(call: Call, /, name: str, aliases: tuple[str, ...], reason: str | None) -> None:
    """Remove other names of an entity; its own name stays.

    \b
    Examples:
      erstwhile --user ana entities remove-alias Postgres pg
    """
    call.memory.entities.remove_alias(name, *aliases, reason=reason)
    call.out.done("Removed the names", {"name": name, "removed": aliases})
