"""`erstwhile usage`: tokens, and what they cost."""

from __future__ import annotations

from typing import Any

import click

from erstwhile.cli import options
from erstwhile.cli.call import Call
from erstwhile.cli.record_commands import deleted, record_commands
from erstwhile.core.errors import NotFoundError
from erstwhile.core.page import Page
from erstwhile.usage.entry import UsagePeriod

NONE_HERE = (
    "No call of a model here fits.\n"
    "Note one: erstwhile usage record claude-sonnet-4-5 --input 1200 --output 300"
)
narrowed = options.together(
    click.option("--model", metavar="NAME", help="Of this model."),
    click.option("--in-session", "session", metavar="NAME", help="Of this session."),
    options.period,
)


@click.group(cls=options.Commands)
def usage() -> None:
    """Note what calls of models took, and sum it up.

    \b
    Example:
      erstwhile --user ana usage summary --by model
    """


@usage.command()
@click.argument("model")
@click.option("--input", type=int, help="Tokens read, without those of the cache.")
@click.option("--output", type=int, help="Tokens written.")
@click.option("--cache-read", type=int, help="Tokens read from the cache.")
@click.option("--cache-write", type=int, help="Tokens put into the cache.")
@click.option("--in-session", "session", metavar="NAME", help="The session it belongs to.")
@click.option("--cost", metavar="DOLLARS", help="What it cost; by default what the table says.")
@click.option("--at", metavar="TIME", help="When it was; now unless said.")
@click.pass_obj
def record(call: Call, /, model: str, **details: Any) -> None:
    """Note one call of a model.

    \b
    Example:
      erstwhile --user ana usage record claude-sonnet-4-5 --input 1200 --output 300
    """
    entry = call.memory.usage.record(model, **options.said(details))
    call.out.done("Noted", entry)
    if entry.cost is None:
        call.out.notice(f"the price of {entry.model} is unknown; say --cost, or set `prices`")


@usage.command(name="list")
@narrowed
@deleted
@options.paging
@click.pass_obj
def list_usage(call: Call, /, **asked: Any) -> None:
    """List calls of models, the last recorded first.

    \b
    Example:
      erstwhile --user ana usage list --since yesterday
    """
    call.out.page(call.memory.usage.list(**options.said(asked)), NONE_HERE)


@usage.command()
@click.option("--by", type=options.one_of(UsagePeriod), help="One sum for each of these.")
@narrowed
@click.pass_obj
def summary(call: Call, /, **asked: Any) -> None:
    """Sum up tokens and dollars, by day, model or session.

    Days are those of UTC. Calls whose price is unknown are counted, and missing from the cost.

    \b
    Example:
      erstwhile --user ana usage summary --by day --since "30 days ago"
    """
    call.out.page(Page(tuple(call.memory.usage.summary(**options.said(asked)))), NONE_HERE)


@usage.command()
@click.argument("model")
@click.pass_obj
def price(call: Call, /, model: str) -> None:
    """Show what a model costs, in dollars for a million tokens.

    \b
    Example:
      erstwhile usage price claude-sonnet-4-5
    """
    found = call.memory.usage.price(model)
    if found is None:
        raise NotFoundError(
            f"the price of {model!r} is unknown", remedy="name it in the file of the setting prices"
        )
    call.out.record(found)


for command in record_commands("usage", "call"):
    usage.add_command(command)
