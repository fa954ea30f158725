"""`erstwhile recall` and `erstwhile reembed`: finding facts by words and by meaning."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from erstwhile.cli import options
from erstwhile.cli.call import Call, counting, moment_asked, working
from erstwhile.core.errors import BusyError
from erstwhile.recall.hits import FactHits, Fusion, WhyNot

if TYPE_CHECKING:
    from erstwhile.memory import Memory

PATIENCE = 2.0
"""Seconds that a question may wait for facts which earlier calls left without a vector."""


@click.command()
@click.argument("question")
@click.option("--limit", type=int, help="How many at most; 10 unless said.")
@options.matching
@options.past
@click.option("--include-retired", is_flag=True, default=None, help="Also what was true once.")
@click.option("--graph", is_flag=True, default=None, help="Fill up with facts linked to these.")
@click.option("--recent", is_flag=True, default=None, help="Fill up with recent facts.")
@click.option("--floor", type=float, help="How well a fact must match, from 0; 0.1 unless said.")
@click.option("--fusion", type=options.one_of(Fusion), help="How words and meaning are combined.")
@click.option("--explain", is_flag=True, default=None, help="Also show how it was searched.")
@click.option("--why-not", metavar="ID", help="Tell instead why this fact is not found.")
@click.pass_obj
def recall(call: Call, /, question: str, why_not: str | None, **asked: Any) -> None:
    """Find the facts that matter for QUESTION, best first.

    The bars tell why: how much by words, how much by meaning, and which words.

    \b
    Example:
      erstwhile --user ana recall "which database do we use?"
      erstwhile --user ana recall "what did we run in March?" --explain
      erstwhile --user ana recall "package manager" --why-not 019a8a5b-1234
    """
    said = options.said(asked)
    at = moment_asked(asked["as_of"], asked["known_at"])
    waiting = embed_what_waits(call.memory)
    if why_not is not None:
        call.out.record(_kept_out(call.memory, question, why_not, said), at)
        return
    hits = _noting(call.memory.recall(question, **said), waiting)
    call.out.record(hits, at)
    for notice in hits.trace.notices:
        call.out.notice(notice)


@click.command()
@click.pass_obj
def reembed(call: Call, /) -> None:
    """Give every fact a vector of the chosen embedder.

    The memory can be used meanwhile. Stopped half-way, it goes on where it was.

    \b
    Example:
      erstwhile --embedder minilm reembed
    """
    with counting("Embedding") as tell:
        made = call.store.reembed(tell)
    name = call.settings.embedder
    call.out.done(
        f"{name} serves now; facts embedded: {made:,}", {"embedder": name, "embedded": made}
    )


def embed_what_waits(memory: Memory) -> int:
    """So that what was remembered a moment ago is found by meaning; how many still wait."""
    with working("Embedding what is new…"), suppress(BusyError):
        return memory.flush(PATIENCE)
    return 0


def _noting(hits: FactHits, waiting: int) -> FactHits:
    if not waiting or hits.trace.notices:
        return hits
    notice = f"facts not embedded yet, found by words alone: {waiting:,}"
    return replace(hits, trace=replace(hits.trace, notices=(notice,)))


def _kept_out(memory: Memory, question: str, id: str, said: dict[str, Any]) -> WhyNot:
    about_ranking = {"limit", "include_retired", "graph", "recent", "floor", "fusion", "explain"}
    if extra := sorted(about_ranking & set(said)):
        option = extra[0].replace("_", "-")
        raise click.UsageError(f"--why-not is about the usual first ten: leave --{option} out.")
    found = memory.why_not(question, id, **said)
    if found.reason == "not_found":
        memory.facts.get(id)  # which says so, and what to do
    return found
