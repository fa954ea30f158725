"""Find what a user wrote themself in a message: blank out code, quotations and pasted text.

Blanks keep the length, so that places in the result are places in the message. Pasted text begins
after a sentence that introduces it, such as "Summarise this:", and extends to the end, because
nothing tells where it ends. Better to miss a user's words than to take a stranger's for theirs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path

from erstwhile.rule_files import RuleFile, TextRule, read_rules

FILLER = "ː"
"""Stands for each character of a quotation inside a sentence. Patterns see one long word."""

_BLOCK = re.compile(r"(?P<mark>```|~~~|\"\"\"|''')")
_TAG = re.compile(r"<([A-Za-z][\w-]{0,40})(?:\s[^<>\n]{0,200})?>")
_MOST_ELEMENTS = 20
"""The most tags that are searched for their end, so that many of them cost no quadratic time."""
# It contains no opening mark: many opening marks in a row would take quadratic time.
_QUOTED = re.compile(
    r'"[^"\n]*"|“[^“”\n]*”|„[^„“”\n]*[“”]|«[^«»\n]*»|「[^「」\n]*」|『[^『』\n]*』|《[^《》\n]*》'
    r"|`[^`\n]*`|(?<!\w)[‘'][^‘'’\n]{2,200}['’](?!\w)"
)
_FOREIGN_LINE = re.compile(
    r"^[ \t]*+(?:>|\d{4}-\d\d-\d\d[T ]|\[?\d\d:\d\d:\d\d\b|\[?(?:DEBUG|INFO|WARN(?:ING)?|ERROR"
    r"|FATAL|TRACE|CRITICAL)\b|Traceback \(|[$%] |//|(?:system|assistant|user|human|ai|bot|tool) ?:"
    r")[^\n]*|^(?=[^\n]*[=(<{}])[^\n]*[;{}][ \t]*$",
    re.MULTILINE | re.IGNORECASE,
)
"""Lines of mails, logs, transcripts and programs."""
_OPENING_OF_BLOCK = re.compile(r"\s*(?:```|~~~|\"\"\"|'''|>|<\w|[\"“„«「『])")


@dataclass(frozen=True, kw_only=True)
class PastedRule(TextRule):
    """A sentence that introduces pasted text."""

    before: bool = False
    """Whether the pasted text stands before the sentence, not after it."""
    unless_marked: bool = False
    """Whether a mark around the text that follows, such as a fence, also tells its end."""

    @property
    def flags(self) -> re.RegexFlag:
        return re.IGNORECASE | re.MULTILINE


def own_words(text: str) -> str:
    """Return the text with blanks for what the user did not write themself."""
    start, end = _own_part(text)
    own = _blank(start) + text[start:end] + _blank(len(text) - end)
    own = _without_tags(_without_blocks(own))
    own = _FOREIGN_LINE.sub(lambda found: " " * len(found[0]), own)
    return _QUOTED.sub(lambda found: FILLER * len(found[0]), own).replace("’", "'")


def _own_part(text: str) -> tuple[int, int]:
    """Return the part of the text that no sentence calls pasted."""
    start, end, lower = 0, len(text), text.lower()
    for rule in _rules():
        if any(hint in lower for hint in rule.hints):
            for found in rule.regex.finditer(text):
                if rule.before:
                    start = max(start, found.start())
                elif not (rule.unless_marked and _OPENING_OF_BLOCK.match(text, found.end())):
                    end = min(end, found.end())
    return min(start, end), end


def _without_blocks(text: str) -> str:
    """Blank out text between fences or tripled quotes; an unclosed one extends to the end."""
    kept, at = list[str](), 0
    while found := _BLOCK.search(text, at):
        close = text.find(found["mark"], found.end())
        end = len(text) if close < 0 else close + 3
        kept += text[at : found.start()], _blank(end - found.start())
        at = end
    return "".join((*kept, text[at:]))


def _without_tags(text: str) -> str:
    """Blank out elements such as <document>…</document>."""
    for _ in range(_MOST_ELEMENTS):
        span = next(_elements(text), None)
        if span is None:
            break
        start, end = span
        text = text[:start] + _blank(end - start) + text[end:]
    return text


def _elements(text: str) -> Iterator[tuple[int, int]]:
    """Yield the places of elements that have an end, or that need none."""
    for found in islice(_TAG.finditer(text), _MOST_ELEMENTS):
        name = found[1]
        close = text.find(f"</{name}", found.end())
        if close >= 0:
            yield found.start(), min(len(text), close + len(name) + 3)
        elif name.lower() in _file().words["documents"]:
            yield found.start(), len(text)


def _blank(length: int) -> str:
    """Return line breaks, so that the text before and after is not one sentence."""
    return "\n" * length


@cache
def _rules() -> tuple[PastedRule, ...]:
    return _file().rules_as(PastedRule)


def _file() -> RuleFile:
    return read_rules(Path(__file__).with_name("own_words.toml"))
