"""Output for programs: JSON, JSON lines and CSV, in UTF-8 in every locale."""

from __future__ import annotations

import csv
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from io import StringIO
from typing import Any

import click

from erstwhile.cli.call import is_terminal
from erstwhile.cli.safe_text import json_line, safe_line, safe_lines
from erstwhile.core.background import BackgroundFailure
from erstwhile.core.public_record import to_json
from erstwhile.core.results import Hits, Page

_LISTS = ("items", "hits")
"""The names of the lists of results, in pages and in the result of `recall`."""


class JsonOutput:
    """Output for programs; indented only on a terminal."""

    def record(self, value: Any, /, at: datetime | None = None) -> None:
        indent = 2 if is_terminal(sys.stdout) else None
        click.echo(json_line(to_json(value, at), indent=indent).encode())

    def page(self, page: Page[Any] | Hits[Any], _empty: str, /, at: datetime | None = None) -> None:
        self.record(page, at)

    def done(self, _text: str, value: Any, /) -> None:
        self.record(value)

    def notice(self, _text: str, /) -> None:
        """Ignore the notice: the result itself contains it."""

    @contextmanager
    def watching(self, _title: str, /) -> Iterator[Callable[[Any], None]]:
        """Write each attempt when it ends; failures go to standard error."""
        yield self._write_news

    def _write_news(self, news: Any) -> None:
        if isinstance(news, BackgroundFailure):
            click.echo(json_line(to_json(news)).encode(), err=True)
        else:
            self.record(news)


class LinesOutput(JsonOutput):
    """Each result as JSON on a line of its own."""

    def record(self, value: Any, /, at: datetime | None = None) -> None:
        self._write([*_result_rows(to_json(value, at))])

    def page(self, page: Page[Any] | Hits[Any], _empty: str, /, at: datetime | None = None) -> None:
        self.record(page, at)
        for notice in notices_of(page):
            self.notice(notice)

    def notice(self, text: str, /) -> None:
        """Write the notice on standard error: rows have no place for it."""
        click.echo(f"! {safe_line(text, 1_000)}", err=True)

    def _write(self, rows: Sequence[Any]) -> None:
        for row in rows:
            click.echo(json_line(row).encode())


class CsvOutput(LinesOutput):
    """Each result as a row below the names of its parts; lists, true and false are JSON."""

    def __init__(self) -> None:
        self._names: list[str] = []

    def _write(self, rows: Sequence[Any]) -> None:
        flat = [dict(_cells(row)) for row in rows]
        table, is_new = StringIO(), not self._names
        self._names = self._names or list(dict.fromkeys(name for row in flat for name in row))
        writer = csv.DictWriter(table, self._names, extrasaction="ignore", lineterminator="\n")
        if is_new and self._names:
            writer.writeheader()
        writer.writerows(flat)
        text = table.getvalue()
        safe = safe_lines(text) if is_terminal(sys.stdout) else text
        click.echo(safe.encode(errors="replace"), nl=False)


def notices_of(page: Page[Any] | Hits[Any]) -> Iterator[str]:
    """Yield what people need to know besides the records of a page or a search."""
    if isinstance(page, Hits):
        yield from page.trace.notices if page.trace else ()
    elif page.next:
        yield f"There is more: repeat the command with --cursor {shlex.quote(page.next)}"


def _result_rows(value: Any) -> Iterator[Any]:
    """Yield the results in a value, or the value if it is one result."""
    for name in _LISTS:
        if isinstance(value, Mapping) and isinstance(value.get(name), list):
            yield from value[name]
            return
    yield value


def _cells(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the name and the value of each cell; the parts of a part are named `record.text`."""
    if isinstance(value, Mapping) and value:
        for key, part in value.items():
            yield from _cells(part, f"{name}.{key}" if name else str(key))
    elif isinstance(value, Mapping | list | bool):
        yield name or "value", json_line(value)
    else:
        yield name or "value", value
