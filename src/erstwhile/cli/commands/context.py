"""`erstwhile context`: memory as text for a prompt."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from erstwhile.cli import options
from erstwhile.cli.call import Call
from erstwhile.cli.commands.recall import embed_what_waits
from erstwhile.context.model import HistoryOverflow

NOTHING_FITS = "nothing is remembered here for it, or the budget is too small: see --report"


def listed(_context: click.Context, _param: click.Parameter, values: tuple[str, ...]) -> Any:
    """Names with commas between them, or each with the option before it."""
    names = [name.strip() for value in values for name in value.split(",")]
    return [name for name in names if name] if values else None


@click.command()
@click.argument("question", default="")
@click.option("--tokens", type=int, help="The budget; 4000 unless said.")
@click.option(
    "--needs",
    metavar="A,B",
    multiple=True,
    callback=listed,
    help="The sections; all but onboarding unless said.",
)
@click.option("--conversation", metavar="ID", help="The conversation whose history is given.")
@click.option("--channel", metavar="NAME", help="Or the channel whose current one it is.")
@click.option("--language", metavar="CODE", help="Of the words round the memory, such as zh.")
@click.option(
    "--templates", type=click.Path(path_type=Path), metavar="DIR", help="Your own words for them."
)
@click.option(
    "--overflow",
    type=options.one_of(HistoryOverflow),
    help="What becomes of messages that find no room; drop unless said.",
)
@click.option("--report", is_flag=True, help="Show instead how the budget was spent.")
@click.pass_obj
def context(call: Call, /, question: str, report: bool, **asked: Any) -> None:
    """Put into text what a prompt about QUESTION should know.

    The text is plain everywhere, to be pasted or piped; --json gives it in parts.

    \b
    Example:
      erstwhile --user ana context "fix the failing migration" --tokens 2000
      erstwhile --user ana context "fix the failing migration" --needs facts,lessons --report
    """
    embed_what_waits(call.memory)
    made = call.memory.context(question, **options.said(asked))
    if report:
        call.out.record(made.report)
    elif call.json_asked:
        call.out.record(made)
    else:
        for notice in made.report.notices if made.text else (NOTHING_FITS,):
            call.out.notice(notice)
        click.echo(made.text.encode(), nl=False)
