"""`erstwhile entities`: whom and what the facts are about."""

from __future__ import annotations

from typing import Any

import click

from erstwhile.cli import options
from erstwhile.cli.call import Call, moment_asked

NONE_HERE = (
    "No live fact here names anybody or anything.\n"
    'Name them as you remember: erstwhile remember "The shop runs on Postgres" --entity Postgres'
)


@click.group(cls=options.Commands)
def entities() -> None:
    """See whom and what the facts are about.

    \b
    Example:
      erstwhile --user ana entities show Postgres
    """


@entities.command(name="list")
@options.past
@options.paging
@click.pass_obj
def list_entities(call: Call, /, **asked: Any) -> None:
    """List entities by name, with how many live facts mention each.

    \b
    Example:
      erstwhile --user ana entities list
    """
    call.out.page(call.memory.entities.list(**options.said(asked)), NONE_HERE)


@entities.command()
@click.argument("name")
@click.option("--limit", type=int, help="How many facts and neighbours at most.")
@options.past
@click.pass_obj
def show(call: Call, /, name: str, **asked: Any) -> None:
    """Show one entity, its newest facts and its links.

    NAME is its name or an alias.

    \b
    Example:
      erstwhile --user ana entities show Postgres
    """
    card = call.memory.entities.get(name, **options.said(asked))
    call.out.record(card, moment_asked(asked["as_of"], asked["known_at"]))


@entities.command()
@click.argument("name")
@click.argument("aliases", metavar="ALIAS...", nargs=-1, required=True)
@options.reason
@click.pass_obj
def alias(call: Call, /, name: str, aliases: tuple[str, ...], reason: str | None) -> None:
    """Give an entity other names.

    \b
    Example:
      erstwhile --user ana entities alias Postgres PostgreSQL pg
    """
    call.memory.entities.alias(name, *aliases, reason=reason)
    call.out.done("Its other names are noted", {"name": name, "added": aliases})


@entities.command()
@click.argument("name")
@click.argument("aliases", metavar="ALIAS...", nargs=-1, required=True)
@options.reason
@click.pass_obj
def unalias(call: Call, /, name: str, aliases: tuple[str, ...], reason: str | None) -> None:
    """Take other names of an entity away; its own name stays.

    \b
    Example:
      erstwhile --user ana entities unalias Postgres pg
    """
    call.memory.entities.unalias(name, *aliases, reason=reason)
    call.out.done("These names are taken away", {"name": name, "removed": aliases})
