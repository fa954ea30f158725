"""Output for programs: JSON, JSON lines and CSV, in UTF-8 in every locale."""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from inspect import getmembers
from io import StringIO
from typing import Any

import click

from erstwhile.cli.call import is_terminal
from erstwhile.cli.safe_text import json_line, safe_line, safe_lines
from erstwhile.core.background import BackgroundFailure
from erstwhile.core.json_values import SINGLE, single_value
from erstwhile.core.kinds import State
from erstwhile.core.results import Page
from erstwhile.facts.fact import Fact, FactChange, Relation
from erstwhile.recall.hits import Passage

_REPEATED = frozenset({"searched", "timestamp", "fact", "message"})
"""Properties of records and hits that repeat another field of them."""
_LISTS = ("items", "hits")
"""The names of the lists of results, in pages and in the result of `recall`."""


class JsonOutput:
    """Output for programs; indented only on a terminal."""

    def record(self, value: Any, /, at: datetime | None = None) -> None:
        indent = 2 if is_terminal(sys.stdout) else None
        click.echo(json_line(to_json(value, at), indent=indent).encode())

    def page(self, page: Page[Any], _empty: str, /, at: datetime | None = None) -> None:
        self.record(page, at)

    def done(self, _text: str, value: Any, /) -> None:
        self.record(value)

    def notice(self, _text: str, /) -> None:
        """Ignore the notice: the result itself contains it."""

    @contextmanager
    def watching(self, _title: str, /) -> Iterator[Callable[[Any], None]]:
        """Write each attempt on a line of its own; failures go to standard error."""
        yield lambda news: click.echo(
            json_line(to_json(news)).encode(), err=isinstance(news, BackgroundFailure)
        )


class LinesOutput(JsonOutput):
    """Each result as JSON on a line of its own."""

    def record(self, value: Any, /, at: datetime | None = None) -> None:
        self._write([*_result_rows(to_json(value, at))])

    def page(self, page: Page[Any], _empty: str, /, at: datetime | None = None) -> None:
        self.record(page, at)
        if page.next:
            self.notice(f"There is more: repeat the command with --cursor {page.next}")

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

    @contextmanager
    def watching(self, _title: str, /) -> Iterator[Callable[[Any], None]]:
        with super().watching("") as complain:
            yield (
                lambda news: (
                    complain(news) if isinstance(news, BackgroundFailure) else self.record(news)
                )
            )

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


def to_json(value: Any, at: datetime | None = None) -> Any:
    """Convert a value to JSON types. `at` is the time at which the state of a fact is computed."""
    if isinstance(value, SINGLE):
        return single_value(value)
    match value:
        case Page():
            return {"items": [to_json(item, at) for item in value], "next": value.next}
        case Relation() | Passage():
            return value._asdict()
        case Mapping():
            return {name: to_json(each, at) for name, each in value.items()}
        case tuple() | list():
            return [to_json(each, at) for each in value]
        case Fact():
            first = {"id": value.id, "short_id": value.short_id, "state": state_of(value, at)}
            return to_json(first) | _record_to_json(value, at)
        case FactChange():
            return _record_to_json(value, value.at)
    return _record_to_json(value, at)


def state_of(fact: Fact, at: datetime | None = None) -> State:
    """Return the state of a fact at a time, by default now (by the later of the two clocks)."""
    return fact.state(at or max(datetime.now(UTC), fact.known_from))


def _record_to_json(record: Any, at: datetime | None) -> dict[str, Any]:
    """Return the fields and the properties of a dataclass."""
    if not is_dataclass(record):
        raise TypeError(f"not a record: {type(record).__name__}")
    derived = [
        name
        for name, _ in getmembers(type(record), lambda part: isinstance(part, property))
        if name not in _REPEATED
    ]
    names = [field.name for field in fields(record)] + derived
    return {name: to_json(getattr(record, name), at) for name in names}
