"""Answers in JSON: one document each, in UTF-8 whatever the locale."""

from __future__ import annotations

import json
import re
import sys
from datetime import datetime
from typing import Any

import click

from erstwhile.cli.call import is_terminal
from erstwhile.cli.plain_values import plain
from erstwhile.core.page import Page

_RAW = re.compile(r"[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""What JSON leaves as it is, and a terminal may obey or cannot be given."""


def written(value: Any, *, indent: int | None = None) -> str:
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)
    return _RAW.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


class JsonOutput:
    """For programs; laid out over several lines only where a person may read it."""

    def record(self, value: Any, /, at: datetime | None = None) -> None:
        indent = 2 if is_terminal(sys.stdout) else None
        click.echo(written(plain(value, at), indent=indent).encode())

    def page(self, page: Page[Any], _empty: str, /, at: datetime | None = None) -> None:
        self.record(page, at)

    def done(self, _said: str, value: Any, /) -> None:
        self.record(value)

    def notice(self, _said: str, /) -> None:
        """The answer itself holds it."""
