"""`erstwhile remember`, `recall`, `context` and `feedback`: store facts, and find them again."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

import click

from erstwhile.cli.call import Call, working
from erstwhile.core.arguments import shown_location
from erstwhile.core.errors import BusyError, InvalidInputError
from erstwhile.core.kinds import Trust
from erstwhile.core.results import Page
from erstwhile.core.time import moment_asked
from erstwhile.facts.draft import Draft, draft
from erstwhile.facts.fact import Fact
from erstwhile.facts.feedback import Feedback
from erstwhile.recall.hits import WhyNot

PROGRESS_STEP = 1_000
EMBEDDING_SECONDS = 2.0
"""Seconds to wait for facts of earlier calls to be embedded."""
NOTHING_FITS = "no memory here matches the question, or the budget is too small: see --report"
_RANKING = frozenset(("limit", "include_retired", "graph", "recent", "floor", "explain"))


def remember(call: Call, *, text: str, **given: Any) -> None:
    """Store a text as a fact, or the lines of standard input if the text is `-`."""
    if text != "-":
        fact = call.memory.remember(text, **given)
        call.out.done(_outcome(fact), fact)
        for notice in _related_facts(call, fact):
            call.out.notice(notice)
        return
    drafts: list[Draft] = []
    with working("Reading…") as show:
        for each in _read_drafts(sys.stdin.buffer if sys.stdin else (), given):
            drafts.append(each)
            if not len(drafts) % PROGRESS_STEP:
                show(f"Reading… {len(drafts):,} facts")
        show(f"Storing {len(drafts):,} facts…")
        facts = call.memory.remember_many(drafts)
    new = sum(fact.evidence == 1 and fact.retired_at is None for fact in facts)
    counts = f"New facts: {new:,}, known already: {len(facts) - new:,}"
    call.out.done(counts, Page(tuple(facts)))


def _read_drafts(lines: Iterable[bytes], details: dict[str, Any]) -> Iterator[Draft]:
    """Yield a draft for each line that is not blank. Errors name the line."""
    for number, raw in enumerate(lines, 1):
        try:
            line = raw.decode("utf-8-sig").strip()
            if line:
                yield draft(line, **details)
        except UnicodeDecodeError:
            raise InvalidInputError(
                f"line {number} is not UTF-8", remedy="convert the input to UTF-8"
            ) from None
        except InvalidInputError as error:
            error.message = f"line {number}: {error.message}"
            raise


def _outcome(fact: Fact) -> str:
    if fact.retired_at is not None or fact.deleted_at is not None:
        return "Not stored: it was rejected before"
    if fact.evidence > 1:
        return f"Known already, seen {fact.evidence:,} times"
    quarantined = fact.trust is Trust.QUARANTINED
    return "Quarantined until it is confirmed" if quarantined else "Remembered"


def _related_facts(call: Call, fact: Fact) -> Iterator[str]:
    """Yield similar and contradictory facts, and commands to settle them."""
    for other in fact.conflicts:
        yield f"It may contradict {_text_with_date(other)}"
    if fact.conflicts:
        retire = ("facts", "retire", fact.conflicts[0].short_id, "--ending", "superseded")
        yield f"If that is over: {call.command(*retire)}. Else keep both."
    for other in fact.similar:
        yield f"Similar: {_text_with_date(other)}"


def _text_with_date(fact: Fact) -> str:
    return f"{fact.short_id} (since {fact.valid_from:%Y-%m-%d %H:%M}): {fact.text}"


def recall(call: Call, *, why_not: str | None = None, **given: Any) -> None:
    """Show the records that match a question, or why one does not."""
    waiting = _embed_new_facts(call)
    if why_not:
        call.out.record(_explain_why_not(call, why_not, given), moment_asked(given))
        return
    hits = call.memory.recall(**given)
    if waiting and not hits.trace.notices:
        notice = f"facts not embedded yet, found by words alone: {waiting:,}"
        hits = replace(hits, trace=replace(hits.trace, notices=(notice,)))
    call.out.record(hits, moment_asked(given))
    elsewhere = (
        ""
        if hits
        else call.elsewhere(
            lambda memory: [hit for hit in memory.recall(**given) if not hit.is_weak]
        )
    )
    for notice in (elsewhere,) if elsewhere else hits.trace.notices:
        call.out.notice(notice)


def feedback(call: Call, *, useful: bool, irrelevant: bool, **given: Any) -> None:
    """Rate recalled facts."""
    if useful == irrelevant:
        raise click.UsageError("Add either --useful or --irrelevant.")
    verdict = Feedback.USEFUL if useful else Feedback.IRRELEVANT
    rated = call.memory.feedback(verdict=verdict, **given)
    call.out.done(f"Rated as {verdict}: {len(rated):,}", rated)


def context(call: Call, *, report: bool, **given: Any) -> None:
    """Write the text for a prompt, or the report about it."""
    _embed_new_facts(call)
    made = call.memory.context(**given)
    if report:
        call.out.record(made.report)
    elif call.data_asked:
        call.out.record(made, moment_asked(given))
    else:
        found = call.elsewhere(lambda memory: memory.facts.count()) if not made.text else ""
        for notice in made.report.notices if made.text else (found or NOTHING_FITS,):
            call.out.notice(notice)
        click.echo(made.text.encode(), nl=False)


def stats(call: Call) -> None:
    """Show how much is stored, and where."""
    found = call.memory.stats()
    call.out.record(replace(found, location=shown_location(call.place)))
    elsewhere = call.elsewhere(lambda memory: memory.facts.count() - found.live)
    if elsewhere:
        call.out.notice(elsewhere)


def _embed_new_facts(call: Call) -> int:
    """Embed new facts, to find them by meaning. Return how many still wait."""
    if not call.is_remote:  # a server embeds by itself
        call.learners = 0  # a question does not learn
        with working("Searching…"), suppress(BusyError):
            return call.memory.flush(EMBEDDING_SECONDS).texts
    return 0


def _explain_why_not(call: Call, id: str, given: dict[str, Any]) -> WhyNot:
    if extra := sorted(_RANKING & set(given)):
        option = extra[0].replace("_", "-")
        raise click.UsageError(f"--why-not explains the default search: leave --{option} out.")
    found = call.memory.why_not(id=id, **given)
    if found.reason == "not_found" and "among" not in given:
        call.memory.facts.get(id)  # raises the error that names the remedy
    return found
