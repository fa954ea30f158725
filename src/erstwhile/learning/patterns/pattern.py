"""One way of stating something, and what a language brings for reading it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from erstwhile.core.kinds import Kind
from erstwhile.core.lockfree_property import cached_property

Values: TypeAlias = Mapping[str, str]
"""What stands in the named groups of a pattern, each cut where its clause ends."""


def anything(_values: Values) -> bool:
    return True


@dataclass(frozen=True, kw_only=True)
class Pattern:
    """`says` is matched where a clause begins. Its groups fill `text` and `key`. Some have a
    meaning of their own: `list` may hold commas, `old` is what gave way, `when` says since when,
    `until` how long, `on` which day.
    """

    name: str
    says: str
    text: str
    kind: Kind
    key: str | None = None
    ends: bool = False
    named: bool = False
    """Whether its value is the name of somebody or something, however it is written."""
    fits: Callable[[Values], bool] = anything
    """Whether the values are what the pattern takes them for."""
    dated: bool = True
    """Whether a date in it says since when it is true, and is not part of the values."""
    rules: bool = False
    """Whether it says what shall be done: that begins its sentence, and may hold an "if"."""

    @cached_property
    def regex(self) -> re.Pattern[str]:
        return re.compile(self.says, re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """How sentences of a language are taken apart, and what is understood in them."""

    name: str
    patterns: tuple[Pattern, ...]
    opening: re.Pattern[str]
    """What may stand before a statement without changing it: "actually", a date."""
    clause: re.Pattern[str]
    """Behind it, a new clause may begin."""
    stop: re.Pattern[str]
    """Where a value ends."""
    list_stop: re.Pattern[str]
    """Where a list of values ends."""
    tail: re.Pattern[str]
    """What says nothing at the end of a value: "now", "too"."""
    date_tail: re.Pattern[str]
    """A date at the end of a value."""
    correction: re.Pattern[str]
    """Right behind a value, it names in `old` what it is not: ", not X"."""
    doubt: re.Pattern[str]
    """A sentence with this does not say what is so."""
    condition: re.Pattern[str]
    """Nor does one with this, unless it gives a rule."""
    fiction: re.Pattern[str]
    """From here on, a message does not speak of the user."""
    question: re.Pattern[str]
    withheld: re.Pattern[str]
    """A message with this shall not be kept."""
    also: re.Pattern[str]
    """Says that there is another one besides: then it is not the one value of its key."""
    asks_to_forget: re.Pattern[str]
    """Asks to forget what follows, in its group `value`."""
    asks_to_keep: re.Pattern[str]
    """Asks to remember what follows, in its group `value`."""
    stands_alone: Callable[[str], bool]
    """Whether what shall be remembered can be understood without what was said before."""
    set_in: Callable[[str], str]
    """A value as it stands between other words."""
    sentence: Callable[[str], str]
    """A text as a sentence is written, and I as "the user"."""
    names: Callable[[str], Iterable[str]]
    """The proper names in a value."""
