"""Find what a user wrote themself in a message, without code, quotations and pasted text.

Text between marks is blanked out. Blanks keep the length, so that places in the result are places
in the message. Pasted text without marks begins after a sentence that introduces it, such as
"Summarise this:", or with a sign of a letter, a chat or a document, and extends to the end, because
nothing tells where it ends. If a paragraph speaks of a text, all other paragraphs are that text.
Better to miss a user's words than to take a stranger's for theirs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path

from erstwhile.letter_case import AnyCase
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
_QUOTES = ('"', "“", "„", "«", "「", "『", "《", "`", "‘", " '", "\n'")
_FOREIGN = re.compile(
    r"\s*+(?:>|\d{4}-\d\d-\d\d[T ]|\[?\d\d:\d\d:\d\d\b|\[?(?:debug|info|warn(?:ing)?|error"
    r"|fatal|trace|critical)\b[\]:| ]|traceback \(|[$%] |//"
    r"|(?:system|assistant|user|human|ai|bot|tool) ?:)",
    re.IGNORECASE,
)
"""The start of a line of a mail, a log or a transcript."""
_EMPTY_LINE = re.compile(r"(?<=\n)[ \t]++(?=\n)")
_CODE_ENDS = (";", "{", "}")
_OPENING_OF_BLOCK = re.compile(r"\s*(?:```|~~~|\"\"\"|'''|>|<\w|[\"“„«「『])")


@dataclass(frozen=True, kw_only=True)
class PastedRule(TextRule):
    """A sentence that introduces pasted text, or a sign of such text."""

    before: bool = False
    """Whether the pasted text stands before the sentence, not after it."""
    apart: str = ""
    """What separates the sentence from pasted text on both sides; nothing if it is on one side."""
    unless_marked: bool = False
    """Whether a mark around the text that follows, such as a fence, also tells its end."""
    sure: bool = False
    """Whether such a sentence hardly ever speaks of the user's own words."""

    @property
    def flags(self) -> re.RegexFlag:
        return re.IGNORECASE | re.MULTILINE


def own_words(text: str) -> str:
    """Return the text with blanks for what stands between marks: code, elements, quotations."""
    if "<" in text:
        text = _without_tags(text)
    if any(mark in text for mark in ("```", "~~~", '"""', "'''")):
        text = _without_blocks(text)
    text = "\n".join(" " * len(line) if _is_foreign(line) else line for line in text.split("\n"))
    if any(quote in text for quote in _QUOTES):
        text = _QUOTED.sub(lambda found: FILLER * len(found[0]), text)
    return text.replace("’", "'")


def own_part(text: str, *, sure: bool = False) -> tuple[int, int]:
    """Return start and end of the part that nothing calls pasted, such as "the mail below:".

    With `sure`, only sure rules count, and only outside of marked text. "Can you fix this?" makes
    the next paragraph doubtful; yet few people paste what they say about themselves.
    """
    text = _EMPTY_LINE.sub(lambda found: "\n" * len(found[0]), text.replace("\r", " "))
    start, end, lower = 0, len(text), text.lower()
    own = own_words(text) if sure else text
    for rule in pasted_rules():
        if rule.sure >= sure and any(hint in lower for hint in rule.hints):
            for found in _in_any_case(rule.pattern).found_in(text):
                # Marks, which own_words reads, may tell where the pasted text is.
                follows = _OPENING_OF_BLOCK.match(found.string, found.end())
                is_marked = follows and (rule.unless_marked or sure)
                if not (is_marked or own[slice(*found.span())].isspace()):
                    first, last = _part_beside(text, found, rule)
                    start, end = max(start, first), min(end, last)
    return min(start, end), end


def _part_beside(text: str, found: re.Match[str], rule: PastedRule) -> tuple[int, int]:
    """Return start and end of the part that a match of a rule does not call pasted."""
    if rule.before:
        return found.start(), len(text)
    if not rule.apart:
        return 0, found.end()
    close = text.find(rule.apart, found.end())
    return text.rfind(rule.apart, 0, found.start()) + 1, len(text) if close < 0 else close


def _is_foreign(line: str) -> bool:
    """Return whether a line looks like part of a mail, a log, a transcript or a program."""
    if line.rstrip().endswith(_CODE_ENDS) and any(mark in line for mark in "=(<{}"):
        return True
    return _FOREIGN.match(line) is not None


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
    """Return spaces between line breaks, so that the text around them is not one sentence."""
    return f"\n{' ' * (length - 2)}\n" if length > 1 else "\n" * length


@cache
def pasted_rules() -> tuple[PastedRule, ...]:
    """Return the rules for sentences that introduce pasted text."""
    return _file().rules_as(PastedRule)


@cache
def _in_any_case(pattern: str) -> AnyCase:
    return AnyCase(pattern, re.MULTILINE)


def _file() -> RuleFile:
    return read_rules(Path(__file__).with_name("own_words.toml"))
