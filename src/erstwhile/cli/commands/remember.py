"""`erstwhile remember`: one fact from the command line, or many from standard input."""

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

STEP = 1_000


@click.command()
@click.argument("text")
@options.details
@options.key
@click.pass_obj
def remember(call: Call, /, text: str, **details: Any) -> None:
    """Store TEXT as a fact; - reads them from standard input.

    A verbatim repeat adds evidence to the fact that is there. From standard input, each line is a
    fact, and they are stored together: all of them, or none.

    \b
    Example:
      erstwhile --user ana remember "Ana prefers pnpm over npm" --kind preference
      erstwhile --user ana remember "On holiday" --kind state --expires "in 3 days"
      erstwhile --project shop remember - < facts.txt
    """
    if text == "-":
        _remember_lines(call, options.said(details))
        return
    fact = call.memory.remember(text, **options.said(details))
    call.out.done(_told(fact), fact)


def _remember_lines(call: Call, details: dict[str, Any]) -> None:
    drafts: list[Draft] = []
    with working("Reading…") as tell:
        for said in _drafts(sys.stdin.buffer if sys.stdin else (), details):
            drafts.append(said)
            if not len(drafts) % STEP:
                tell(f"Reading… {len(drafts):,} facts")
        tell(f"Storing {len(drafts):,} facts…")
        facts = call.memory.remember_many(drafts)
    new = sum(fact.evidence == 1 and fact.retired_at is None for fact in facts)
    told = f"New facts: {new:,}, known already: {len(facts) - new:,}"
    call.out.done(told, Page(tuple(facts)))


def _drafts(lines: Iterable[bytes], details: dict[str, Any]) -> Iterator[Draft]:
    """A draft for each line that is not blank; an error says in which line it is."""
    for number, raw in enumerate(lines, 1):
        try:
            line = raw.decode("utf-8-sig").strip()
            if line:
                yield draft(line, **details)
        except UnicodeDecodeError:
            raise InvalidInputError(
                f"line {number} is not UTF-8", remedy="convert the input first"
            ) from None
        except InvalidInputError as error:
            error.message = f"line {number}: {error.message}"
            raise


def _told(fact: Fact) -> str:
    if fact.retired_at is not None:
        return "Rejected before, and not stored again"
    if fact.evidence > 1:
        return f"Known already, and heard {fact.evidence:,} times now"
    waits = fact.trust is Trust.QUARANTINED
    return "Put into quarantine until it is confirmed" if waits else "Remembered"
