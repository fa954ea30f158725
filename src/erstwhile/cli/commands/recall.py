"""`erstwhile recall`, `feedback` and `context`: find facts, rate them, put them into a prompt."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from erstwhile.cli import options
from erstwhile.cli.call import Call, moment_asked, working
from erstwhile.context.model import HistoryOverflow
from erstwhile.core.errors import BusyError
from erstwhile.core.kinds import TextKind
from erstwhile.facts.usage_signals import Feedback
from erstwhile.recall.hits import RecallHits, WhyNot

if TYPE_CHECKING:
    from erstwhile.memory import Memory

EMBEDDING_SECONDS = 2.0
"""The seconds that a query waits until facts of earlier calls are embedded."""
NOTHING_FITS = "no memory here matches the question, or the budget is too small: see --report"


def split_names(_context: click.Context, _param: click.Parameter, values: tuple[str, ...]) -> Any:
    """Return the names of a repeated option, each of which may hold several with commas."""
    names = [name.strip() for value in values for name in value.split(",")]
    return [name for name in names if name] if values else None


@click.command()
@click.argument("question")
@click.option("--limit", type=int, help="The maximum number of hits; 10 by default.")
@click.option(
    "--among",
    metavar="A,B",
    multiple=True,
    callback=split_names,
    help=f"The kinds of records: {', '.join(TextKind)}, or all; facts by default.",
)
@options.matching
@options.past
@click.option("--include-retired", is_flag=True, default=None, help="Also facts that have ended.")
@click.option("--graph", is_flag=True, default=None, help="Add facts that are linked to these.")
@click.option("--recent", is_flag=True, default=None, help="Add recent facts.")
@options.floor
@click.option("--explain", is_flag=True, default=None, help="Also show the details of the search.")
@click.option("--why-not", metavar="ID", help="Explain instead why this record is not found.")
@click.pass_obj
def recall(call: Call, /, question: str, why_not: str | None, **parameters: Any) -> None:
    """Find facts and other records for QUESTION, best first.

    The bars show how well each one matches by words and by meaning.

    \b
    Examples:
      erstwhile --user ana recall "which database do we use?"
      erstwhile --user ana recall "what did we run in March?" --explain
      erstwhile --user ana recall "the outage" --among facts,messages
      erstwhile --user ana recall "package manager" --why-not 019a8a5b-1234
    """
    given = options.given(parameters)
    at = moment_asked(given.get("as_of"), given.get("known_at"))
    waiting = _embed_new_facts(call)
    if why_not is not None:
        call.out.record(_explain_why_not(call.memory, question, why_not, given), at)
        return
    hits = _with_notice(call.memory.recall(question, **given), waiting)
    call.out.record(hits, at)
    for notice in hits.trace.notices:
        call.out.notice(notice)


@click.command()
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@click.option("--useful", is_flag=True, help="The facts helped.")
@click.option("--irrelevant", is_flag=True, help="The facts did not help.")
@options.reason
@click.pass_obj
def feedback(
    call: Call, /, ids: tuple[str, ...], useful: bool, irrelevant: bool, reason: str | None
) -> None:
    """Rate recalled facts as useful or irrelevant.

    Useful facts then rank a little higher among facts that match equally well, irrelevant ones
    a little lower.

    \b
    Examples:
      erstwhile --user ana feedback 019a8a5b-1234 019a8a5b-5678 --useful
      erstwhile --user ana feedback 019a8a5b-1234 --irrelevant --reason "about another project"
    """
    if useful == irrelevant:
        raise click.UsageError("Add either --useful or --irrelevant.")
    rating = Feedback.USEFUL if useful else Feedback.IRRELEVANT
    rated = call.memory.feedback(ids, rating, reason=reason)
    call.out.done(f"Rated as {rating}: {len(rated):,}", rated)


@click.command()
@click.argument("question", default="")
@click.option("--tokens", type=int, help="The budget; 4000 by default.")
@click.option(
    "--needs",
    metavar="A,B",
    multiple=True,
    callback=split_names,
    help="The sections; all but onboarding by default.",
)
@click.option("--conversation", metavar="ID", help="The conversation to take the history from.")
@click.option("--channel", metavar="NAME", help="Or the channel with this conversation.")
@click.option("--language", metavar="CODE", help="The language of the headings, such as zh.")
@click.option(
    "--templates", type=click.Path(path_type=Path), metavar="DIR", help="Your own templates."
)
@click.option(
    "--overflow",
    type=options.one_of(HistoryOverflow),
    help="The treatment of messages that do not fit; drop by default.",
)
@click.option("--report", is_flag=True, help="Show instead how the budget was spent.")
@click.pass_obj
def context(call: Call, /, question: str, report: bool, **given: Any) -> None:
    """Write the memory that a prompt about QUESTION needs.

    The output is plain text, for a prompt or a pipe; --json gives it in parts.

    \b
    Examples:
      erstwhile --user ana context "fix the failing migration" --tokens 2000
      erstwhile --user ana context "fix the failing migration" --needs facts,lessons --report
    """
    _embed_new_facts(call)
    made = call.memory.context(question, **options.given(given))
    if report:
        call.out.record(made.report)
    elif call.data_asked:
        call.out.record(made)
    else:
        for notice in made.report.notices if made.text else (NOTHING_FITS,):
            call.out.notice(notice)
        click.echo(made.text.encode(), nl=False)


def _embed_new_facts(call: Call) -> int:
    """Embed new facts so that they are found by meaning. Return how many still wait."""
    if not call.is_remote:  # a server embeds by itself
        call.learners = 0  # a question does not learn
        with working("Embedding new facts…"), suppress(BusyError):
            return call.memory.flush(EMBEDDING_SECONDS).texts
    return 0


def _with_notice(hits: RecallHits, waiting: int) -> RecallHits:
    if not waiting or hits.trace.notices:
        return hits
    notice = f"facts not embedded yet, found by words alone: {waiting:,}"
    return replace(hits, trace=replace(hits.trace, notices=(notice,)))


def _explain_why_not(memory: Memory, question: str, id: str, given: dict[str, Any]) -> WhyNot:
    about_ranking = {"limit", "include_retired", "graph", "recent", "floor", "explain"}
    if extra := sorted(about_ranking & set(given)):
        option = extra[0].replace("_", "-")
        raise click.UsageError(f"--why-not explains the default search: leave --{option} out.")
    found = memory.why_not(question, id, **given)
    if found.reason == "not_found" and "among" not in given:
        memory.facts.get(id)  # raises the error that names the remedy
    return found
