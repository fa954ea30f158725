"""A rule for one way of stating something; the rules are in `english.toml` and `chinese.toml`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from erstwhile.core.kinds import Kind
from erstwhile.rule_files import TextRule

Values: TypeAlias = Mapping[str, str]
"""The texts in the named groups of a pattern, each cut where its clause ends."""


@dataclass(frozen=True, kw_only=True)
class StatementRule(TextRule):
    """A pattern that is matched where a clause begins. Its groups fill `text` and `key`.

    Some groups have a meaning of their own: `list` may contain commas, `old` is the former value,
    `when` is the start, `until` the end, and `on` the day of the statement. The `check` takes
    the values and returns whether they fit.
    """

    text: str
    kind: Kind
    key: str | None = None
    ends: bool = False
    """Whether the statement says that something is no longer true."""
    named: bool = False
    """Whether the value is the name of a person or thing, in any spelling."""
    dated: bool = True
    """Whether a date in the statement is its start time, and not part of a value."""
    rules: bool = False
    """Whether it gives a rule to follow. A rule begins its sentence and may contain an "if"."""

    @property
    def flags(self) -> re.RegexFlag:
        return re.IGNORECASE
