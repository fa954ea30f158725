"""Output in JSON: one document per call, in UTF-8 in every locale."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

import click

from erstwhile.cli.call import is_terminal
from erstwhile.cli.plain_values import plain
from erstwhile.core.background import BackgroundFailure
from erstwhile.core.page import Page

_RAW = re.compile(r"[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Characters that JSON does not escape, but that a terminal may obey or cannot show."""


def written(value: Any, *, indent: int | None = None) -> str:
    """Return the value as JSON that is safe on a terminal."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)
    return _RAW.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


class JsonOutput:
    """Output for programs; indented only on a terminal."""

    def record(self, value: Any, /, at: datetime | None = None) -> None:
        indent = 2 if is_terminal(sys.stdout) else None
        click.echo(written(plain(value, at), indent=indent).encode())

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
            written(plain(news)).encode(), err=isinstance(news, BackgroundFailure)
        )
