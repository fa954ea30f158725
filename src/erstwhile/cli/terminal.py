"""Output for people: tables, colours, and hints."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from io import TextIOWrapper
from typing import Any, TextIO

from rich.console import Console
from rich.text import Text

from erstwhile.cli.data_output import notices_of
from erstwhile.cli.safe_text import safe_line, safe_lines
from erstwhile.cli.views import operations, recall
from erstwhile.cli.views.records import describe, has_title, one_line, table, view
from erstwhile.core.background import BackgroundFailure
from erstwhile.core.results import Hits, Page
from erstwhile.facts.fact import Fact
from erstwhile.learning.attempts import Attempt
from erstwhile.recall.hits import RecallHits


def console(stream: TextIO, *, width: int | None = None) -> Console:
    """Return a console that ignores markup in texts, and can write any text in any locale."""
    if isinstance(stream, TextIOWrapper):
        stream.reconfigure(errors="backslashreplace")
    return Console(file=stream, markup=False, emoji=False, highlight=False, width=width)


def fail(message: str, remedy: str) -> None:
    """Show an error and its remedy on standard error."""
    text = Text.assemble(("✗ ", "bold red"), safe_lines(message))
    if remedy:
        text.append(f"\n→ {safe_lines(remedy)}", "cyan")
    console(sys.stderr).print(text)


class Terminal:
    """Output on a terminal."""

    def __init__(self, *, scopes: bool = False) -> None:
        self._console = console(sys.stdout)
        self._scopes = scopes

    def record(self, value: Any, /, at: datetime | None = None) -> None:
        is_answer = isinstance(value, RecallHits)
        shown = recall.hits_view(value, at, scopes=self._scopes) if is_answer else view(value, at)
        self._console.print(shown)

    def page(self, page: Page[Any] | Hits[Any], empty: str, /, at: datetime | None = None) -> None:
        shown = table([*page], at, scopes=self._scopes) if page else Text(empty, "dim")
        self._console.print(shown)
        for notice in notices_of(page):
            self._console.print(Text(safe_line(notice, 1_000), "cyan"))

    def done(self, text: str, value: Any, /) -> None:
        line = Text.assemble(("✓ ", "bold green"), (safe_line(text), "bold"))
        if isinstance(value, Fact):
            line.append("  ").append(one_line(value))
        elif has_title(value):
            line.append(f"  {getattr(value, 'short_id', '')}".rstrip(), "dim")
            line.append(f"  {describe(value)}")
        self._console.print(line)

    @contextmanager
    def watching(self, title: str, /) -> Iterator[Callable[[Any], None]]:
        """Show the lines of each attempt, and below them how many there were."""
        counts, shown = Counter[str](), self._console
        shown.print(title)
        with shown.status(operations.count_outcomes(counts)) as status:

            def show(news: Attempt | BackgroundFailure) -> None:
                shown.print(operations.news_lines(news))
                if isinstance(news, Attempt):
                    counts[news.outcome] += 1
                status.update(operations.count_outcomes(counts))

            yield show
        shown.print(operations.count_outcomes(counts))

    def notice(self, text: str, /) -> None:
        console(sys.stderr).print(Text(f"! {safe_line(text, 1_000)}", "yellow"))
