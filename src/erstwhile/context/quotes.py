"""Quotations: the passages of a text, with visible ellipses where text is left out."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from erstwhile.search.passages import sentence_ends, sentence_spans

GAP = "…"
MAX_LENGTH = 800
"""The most characters of one passage; a longer one is cut."""
LINE = 120
"""The most characters of a line: what is quoted of a passage where many records matter."""
_NEAR = 40
"""Passages with fewer characters between them are joined."""
_AROUND = 2_000
"""The characters before a passage that are searched for its heading, or for a question."""
_MARGIN = 32
"""The characters beyond a limit that tell whether a sentence ends at the limit."""
_CODE = re.compile(r"```|^(?: {4}|\t)", re.MULTILINE)
_BLANK = re.compile(r"\n\s*\n")
_LIST_ITEM = re.compile(r"\s*(?:[-*+•·]|\(?\d{1,3}[.)]|[a-z][.)])\s")
_ASKED = ("?", "？", '?"', "？”", "?)")


class Span(NamedTuple):
    """A passage of a text."""

    start: int
    end: int


def quote(text: str, spans: Sequence[Span]) -> str:
    """Return passages of a text in their order."""
    parts: list[str] = []
    end = 0
    for span in _merge_near(text, spans):
        if text[end : span.start].strip():
            parts.append(GAP)
        quoted = text[span.start : span.end]
        # Line breaks cost tokens; code keeps its lines.
        is_code = _CODE.search(quoted)
        parts.append(_BLANK.sub("\n", quoted.strip()) if is_code else " ".join(quoted.split()))
        end = span.end
    if text[end:].strip():
        parts.append(GAP)
    return " ".join(parts)


def passage(text: str, start: int, end: int) -> list[Span]:
    """Return a passage that was found, with the line above the list that it begins in."""
    found = _clipped(text, Span(max(start, 0), min(end, len(text))))
    heading = _heading(text, found)
    return [found] if heading is None else [heading, found]


def line(text: str, start: int, end: int, terms: Collection[str]) -> Span:
    """Return the sentence of a passage with the most terms, at most one line of it."""
    if end - start <= LINE:
        return Span(start, end)

    def value(span: tuple[int, int]) -> tuple[int, int]:
        said = text[slice(*span)].lower()
        return sum(term in said for term in terms), min(len(said), LINE)

    best = max(sentence_spans(text, start, end), key=value, default=(start, end))
    return _clipped(text, Span(*best), LINE)


def widened(text: str, spans: Sequence[Span], characters: int) -> list[Span]:
    """Return passages with whole sentences around the last, of at most so many characters more."""
    *others, span = spans
    after = max(_ends_after(text, span.end, characters // 2), default=span.end)
    rest = characters - (after - span.end)
    before = min(_starts_before(text, span.start, rest), default=span.start)
    return [*others, Span(before, after)]


def question(text: str) -> Span:
    """Return the last question of a text, or its last sentence."""
    said = [*sentence_spans(text, max(0, len(text) - _AROUND))] or [(0, len(text))]
    asked = [span for span in said if text.endswith(_ASKED, *span)]
    return _clipped(text, Span(*(asked or said)[-1]))


def _merge_near(text: str, spans: Sequence[Span]) -> list[Span]:
    """Return the spans in their order, without overlap; what is nearly adjacent is joined."""
    joined: list[Span] = []
    for span in sorted(spans):
        if joined and span.start - joined[-1].end < _NEAR:
            joined[-1] = Span(joined[-1].start, max(joined[-1].end, span.end))
        else:
            joined.append(span)
    if joined and len(text) - joined[-1].end < _NEAR:
        joined[-1] = Span(joined[-1].start, len(text))
    if joined and joined[0].start < _NEAR:
        joined[0] = Span(0, joined[0].end)
    return joined


def _clipped(text: str, span: Span, longest: int = MAX_LENGTH) -> Span:
    """Return a passage within the limit, without a cut word if it can be."""
    if span.end - span.start <= longest:
        return span
    limit = span.start + longest
    gap = text.rfind(" ", span.start + longest // 2, limit)
    return Span(span.start, gap if gap > 0 else limit)


def _heading(text: str, found: Span) -> Span | None:
    """Return the line above a list, if a passage begins inside the list."""
    if not _LIST_ITEM.match(text, found.start):
        return None
    end = found.start
    for line in reversed(text[max(0, end - _AROUND) : end].split("\n")):
        start = end - len(line)
        if line.strip() and not _LIST_ITEM.match(line) and not line[0].isspace():
            return _clipped(text, Span(start, end))
        end = start - 1
    return None


def _ends_after(text: str, place: int, most: int) -> Iterator[int]:
    """Yield where the sentences end that end at most so many characters after a place."""
    last = min(len(text), place + most)
    ends = sentence_ends(text, place, min(len(text), last + _MARGIN))
    yield from (end for end, _ in ends if place < end <= last)
    if last == len(text) > place:
        yield last


def _starts_before(text: str, place: int, most: int) -> Iterator[int]:
    """Yield where the sentences begin that begin at most so many characters before a place."""
    first = max(0, place - most)
    ends = sentence_ends(text, max(0, first - _MARGIN), place)
    yield from (start for _, start in ends if first <= start < place)
    if first == 0 < place:
        yield 0
