"""`erstwhile remember`: store one fact, or one for each line of standard input."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import Any

import click

from erstwhile.cli import options
from erstwhile.cli.call import Call, working
from erstwhile.core.errors import InvalidInputError
from erstwhile.core.kinds import Trust
from erstwhile.core.page import Page
from erstwhile.facts.draft import Draft, draft
from erstwhile.facts.fact import Fact

PROGRESS_STEP = 1_000


@click.command()
@click.argument("text")
@options.details
@options.key
@click.pass_obj
def remember(call: Call, /, text: str, **details: Any) -> None:
    """Store TEXT as a fact; - reads facts from standard input.

    A repeated text adds evidence to the existing fact. On standard input each line is a fact. They
    are stored together: all of them, or none.

    \b
    Examples:
      erstwhile --user ana remember "Ana prefers pnpm over npm" --kind preference
      erstwhile --user ana remember "On holiday" --kind state --expires "in 3 days"
      erstwhile --project shop remember - < facts.txt
    """
    if text == "-":
        _remember_lines(call, options.given(details))
        return
    fact = call.memory.remember(text, **options.given(details))
    call.out.done(_done(fact), fact)


def _remember_lines(call: Call, details: dict[str, Any]) -> None:
    drafts: list[Draft] = []
    with working("Reading…") as tell:
        for each in _drafts(sys.stdin.buffer if sys.stdin else (), details):
            drafts.append(each)
            if not len(drafts) % PROGRESS_STEP:
                tell(f"Reading… {len(drafts):,} facts")
        tell(f"Storing {len(drafts):,} facts…")
        facts = call.memory.remember_many(drafts)
    new = sum(fact.evidence == 1 and fact.retired_at is None for fact in facts)
    counts = f"New facts: {new:,}, known already: {len(facts) - new:,}"
    call.out.done(counts, Page(tuple(facts)))


def _drafts(lines: Iterable[bytes], details: dict[str, Any]) -> Iterator[Draft]:
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


def _done(fact: Fact) -> str:
    if fact.retired_at is not None or fact.deleted_at is not None:
        return "Not stored: it was rejected before"
    if fact.evidence > 1:
        return f"Known already, seen {fact.evidence:,} times"
    quarantined = fact.trust is Trust.QUARANTINED
    return "Quarantined until it is confirmed" if quarantined else "Remembered"
