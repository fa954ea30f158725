"""`erstwhile facts`: asking for facts."""

from __future__ import annotations

from typing import Any

import click

from erstwhile.cli import options
from erstwhile.cli.call import Call, moment_asked
from erstwhile.cli.commands import fact_changes
from erstwhile.core.errors import NotFoundError
from erstwhile.core.page import Page

NONE_HERE = (
    "No fact here fits. See all with: erstwhile facts list --state any\n"
    'Or tell the memory something: erstwhile remember "Ana prefers pnpm over npm"'
)


@click.group(cls=options.Commands)
def facts() -> None:
    """Ask for facts, and change what is held true.

    An ID may be shortened while it stays unique.

    \b
    Example:
      erstwhile --user ana facts list --kind preference
      erstwhile --user ana facts history 019a8a5b-1234
    """


@facts.command(name="list")
@options.matching
@options.past
@options.paging
@click.pass_obj
def list_facts(call: Call, /, **asked: Any) -> None:
    """List facts, newest first.

    A TIME is a date (2026-12-01), a time (2026-12-01T09:30:00Z) or words ("3 days ago").

    \b
    Example:
      erstwhile --user ana facts list --kind preference --kind profile
      erstwhile --project shop facts list --entity Postgres --as-of 2026-03-01
    """
    page = call.memory.facts.list(**options.said(asked))
    call.out.page(page, NONE_HERE, at=moment_asked(asked["as_of"], asked["known_at"]))


@facts.command()
@click.argument("id")
@options.past
@click.pass_obj
def show(call: Call, /, id: str, as_of: str | None, known_at: str | None) -> None:
    """Show one fact, with all that is known of it.

    \b
    Example:
      erstwhile --user ana facts show 019a8a5b-1234
    """
    fact = call.memory.facts.get(id, as_of=as_of, known_at=known_at)
    call.out.record(fact, moment_asked(as_of, known_at))


@facts.command()
@click.argument("id")
@options.past
@click.pass_obj
def history(call: Call, /, id: str, as_of: str | None, known_at: str | None) -> None:
    """Tell the life of a fact: who did what, when and why.

    What it replaced and what replaced it are told too, oldest first.

    \b
    Example:
      erstwhile --user ana facts history 019a8a5b-1234
    """
    changes = call.memory.facts.history(id, as_of=as_of, known_at=known_at)
    call.out.page(Page(tuple(changes)), "Nothing was known of it at that time.")


@facts.command()
@click.argument("key")
@options.past
@click.pass_obj
def value(call: Call, /, key: str, as_of: str | None, known_at: str | None) -> None:
    """Show the value of KEY, from the narrowest scope that has one.

    \b
    Example:
      erstwhile --user ana facts value timezone
    """
    found = call.memory.facts.value(key, as_of=as_of, known_at=known_at)
    if found is None:
        raise NotFoundError(
            f"{key!r} has no value here", remedy="give it one with `erstwhile facts set`"
        )
    call.out.record({"key": key, "value": found})


@facts.command(name="set")
@click.argument("key")
@click.argument("value")
@options.details
@click.pass_obj
def set_value(call: Call, /, key: str, value: str, **details: Any) -> None:
    """Give KEY a new VALUE; earlier values stay in its history.

    \b
    Example:
      erstwhile --user ana facts set timezone Europe/Berlin
    """
    fact = call.memory.facts.set(key, value, **options.said(details))
    call.out.done("Set", fact)


for command in fact_changes.COMMANDS:
    facts.add_command(command)
