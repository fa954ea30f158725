"""`erstwhile usage`: tokens of language models, and what they cost."""

from __future__ import annotations

from typing import Any

import click

from erstwhile.cli import options
from erstwhile.cli.call import Call
from erstwhile.cli.groups import Group
from erstwhile.core.errors import NotFoundError
from erstwhile.usage.entry import UsagePeriod

NONE_HERE = (
    "No call of a language model here fits.\n"
    "Record one: erstwhile usage record claude-sonnet-4-5 --input 1200 --output 300"
)
narrowed = options.together(
    click.option("--model", metavar="NAME", help="Of this model."),
    click.option("--in-session", "session", metavar="NAME", help="Of this session."),
    options.period,
)

usage = Group(
    "usage",
    "Record the tokens and cost of calls of language models.",
    "--user ana usage summary --by model",
)


@usage.command()
@click.argument("model")
@click.option("--input", type=int, help="Tokens read, without those of the cache.")
@click.option("--output", type=int, help="Tokens written.")
@click.option("--cache-read", type=int, help="Tokens read from the cache.")
@click.option("--cache-write", type=int, help="Tokens written to the cache.")
@click.option("--in-session", "session", metavar="NAME", help="The session of the call.")
@click.option("--cost", metavar="DOLLARS", help="The cost; from the price table by default.")
@click.option("--at", metavar="TIME", help="The time of the call; now by default.")
@click.pass_obj
def record(call: Call, /, model: str, **details: Any) -> None:
    """Record one call of a language model.

    \b
    Examples:
      erstwhile --user ana usage record claude-sonnet-4-5 --input 1200 --output 300
    """
    entry = call.memory.usage.record(model, **options.given(details))
    call.out.done("Recorded", entry)
    if entry.cost is None:
        call.out.notice(f"the price of {entry.model} is unknown: add --cost, or set `prices`")


usage.method(
    "list",
    "List calls of language models, the last recorded first.",
    "--user ana usage list --since yesterday",
    narrowed,
    options.deleted,
    options.paging,
    empty=NONE_HERE,
)
usage.method(
    "summary",
    "Sum up tokens and dollars, by day, model or session.\n\n"
    "Days are UTC days. Calls of unknown price are counted, but not part of the cost.",
    '--user ana usage summary --by day --since "30 days ago"',
    click.option("--by", type=options.one_of(UsagePeriod), help="One sum for each of these."),
    narrowed,
    empty=NONE_HERE,
)


@usage.command()
@click.argument("model")
@click.pass_obj
def price(call: Call, /, model: str) -> None:
    """Show the price of a model, in dollars for a million tokens.

    \b
    Examples:
      erstwhile usage price claude-sonnet-4-5
    """
    found = call.memory.usage.price(model)
    if found is None:
        raise NotFoundError(
            f"the price of {model!r} is unknown",
            remedy="add it to the file that the setting `prices` names",
        )
    call.out.record(found)


usage.record_commands("call")
