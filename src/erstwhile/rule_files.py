"""The format of all rule files: TOML with patterns and lists of words.

Secrets, the guard, the patterns of learning and reconciliation keep their rules in such files.
Any package may import this module; it imports only the standard library. A file may contain:

- `[[rules]]`: the rules, in the order in which they are tried. Each has a `name` and a `pattern`.
  It may have `hints`: every text that the pattern matches contains one of them in lower case, so
  a quick search for hints comes before the pattern. It may have a `check`: the name of a Python
  function that accepts or rejects a match. Further fields belong to the reader of the file.
- `[shared.<name>]`: fields of all rules with this name. A field in a rule takes precedence.
- `[parts]`: pieces of patterns. `{name}` in a pattern or in a later part inserts a piece.
- `[words]`: lists of words, perhaps grouped. `"{name}"` among the hints inserts a list.

Line breaks in a pattern have no meaning. With `notation = "prose"` at the top of the file, a space
in a pattern matches any white space (with `?` after it also for none), ` ~ ` for up to six words
of the same sentence, and `…` for up to twenty characters of it.

Repetitions in a pattern are bounded or possessive, so that no text makes a search slow. A pattern
is compiled when a text first needs it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, TypeVar

_PART = re.compile(r"\{([a-z_]+)\}")
_PROSE = (
    (" ~ ", " ~"),
    (" ~", r"(?:[^\w.!?。]{1,4}[\w'’]{1,30}){0,6}?\W{1,4}"),
    (" ?", r"\s{0,4}"),
    (" ", r"\s{1,4}"),
    ("…", r"[^\n。！？!?]{0,20}?"),
)


@dataclass(frozen=True, kw_only=True)
class TextRule:
    """The fields that rules of all files have in common."""

    name: str
    pattern: str
    hints: tuple[str, ...] = ()
    check: Callable[[Any], bool] = lambda _: True

    @property
    def flags(self) -> re.RegexFlag:
        return re.NOFLAG

    @cached_property
    def regex(self) -> re.Pattern[str]:
        return re.compile(self.pattern, self.flags)


RuleT = TypeVar("RuleT", bound=TextRule)


@dataclass(frozen=True)
class RuleFile:
    """The content of one file, with all parts, lists and shared fields inserted."""

    rules: tuple[Mapping[str, Any], ...]
    parts: Mapping[str, str]
    words: Mapping[str, Any]

    def rules_as(
        self, rule_class: type[RuleT], /, **readers: Callable[[Any], Any]
    ) -> tuple[RuleT, ...]:
        """Return the rules as objects. A reader converts the value of the field with its name."""

        def read(field: str, value: Any) -> Any:
            return readers[field](value) if field in readers else value

        return tuple(
            rule_class(**{field: read(field, value) for field, value in rule.items()})
            for rule in self.rules
        )


@cache
def read_rules(path: Path) -> RuleFile:
    """Read a file of rules, once."""
    data = tomllib.loads(path.read_text("utf-8"))
    parts = dict[str, str]()
    for name, part in data.get("parts", {}).items():
        parts[name] = _filled(part, parts)
    words, shared = data.get("words", {}), data.get("shared", {})
    rules = list[Mapping[str, Any]]()
    for given in data.get("rules", ()):
        rule = {**shared.get(given["name"], {}), **given}
        rule["pattern"] = _filled(rule["pattern"], parts, prose=data.get("notation") == "prose")
        for field in {"hints", *(each for each in rule if each.endswith("_hints"))}:
            rule[field] = tuple(_hints(rule.get(field, ()), words))
        rules.append(rule)
    return RuleFile(tuple(rules), parts, words)


def _filled(pattern: str, parts: Mapping[str, str], *, prose: bool = False) -> str:
    pattern = _PART.sub(lambda found: parts[found[1]], "".join(pattern.splitlines()))
    for short, meaning in _PROSE if prose else ():
        pattern = pattern.replace(short, meaning)
    return pattern


def _hints(given: list[str], words: Mapping[str, Any]) -> Iterator[str]:
    for hint in given:
        inserted = _PART.fullmatch(hint)
        yield from words[inserted[1]] if inserted else (hint,)
