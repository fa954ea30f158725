"""The content of a block: edits, the token limit, and the overflow.

Text over the limit is refused, or cut off and archived as facts that recall finds. The newest text
stays: a text that continues the present one loses its beginning, any other text its end. No more
is cut off than the limit needs, but for the rest of a sentence or of a word. The key of each fact
holds the block, the version and the part number, so that no part repeats another. The kept text
and the archived parts together are the whole text, to the last character.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import replace

from erstwhile.blocks.block import Block, Overflow, Place, archive_key, checked_content
from erstwhile.core.errors import ConflictError, InvalidInputError, RefusedError, TooLargeError
from erstwhile.core.installing import install_extra
from erstwhile.core.kinds import Origin
from erstwhile.core.ports import Tokenizer, Tokenizers
from erstwhile.core.results import checked_int
from erstwhile.facts.draft import draft
from erstwhile.facts.table import FACTS
from erstwhile.secrets.masking import mask_text
from erstwhile.storage.unit import Unit

_SENTENCES = re.compile(r"\n+|[.!?…][\"'”’)\]]*\s+|[。！？]+[」』”’）]*\s*")
_WORDS = re.compile(r"\s+")
_MAX_ENDING = 20
_MIN_SLACK = 40
"""Characters that may be given up for a better place to cut; more of a long text: half of it."""
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})(.*)$", re.MULTILINE)
_JOINED = frozenset("\u0e33\u0eb3\uff9e\uff9f")
_JOINING = frozenset(
    "\u0d4e\U000111c2\U000111c3\U000113d1\U0001193f\U00011941\U00011a3a\U00011d46\U00011f02"
) | {chr(code) for code in range(0x11A84, 0x11A8A)}
_HANGUL_PARTS = (range(0x1100, 0x1200), range(0xA960, 0xA980), range(0xD7B0, 0xD800))
_FLAG_LETTERS = range(0x1F1E6, 0x1F200)
_SKIN_TONES = range(0x1F3FB, 0x1F400)


def split(text: str, fits: Callable[[str], bool]) -> tuple[str, str]:
    """Return the longest fitting beginning, and the rest, never blank."""
    cuts = _Cuts(text)
    end = _longest_fitting(text, fits)
    while (cut := cuts.last(0, end)) and not fits(text[:cut]):
        end = cut - 1
    return text[:cut], text[cut:]


def split_end(text: str, fits: Callable[[str], bool]) -> tuple[str, str]:
    """Return the rest, never blank, and the longest fitting end."""
    cuts = _Cuts(text)
    start = len(text) - _longest_fitting(text[::-1], lambda end: fits(end[::-1]))
    while (cut := cuts.first(start)) < len(text) and not fits(text[cut:]):
        start = cut + 1
    return text[:cut], text[cut:]


def parts(text: str, size: int) -> list[str]:
    """Return the text in parts of about `size` characters. Only a blank text has blank parts."""
    cuts, start = _Cuts(text), 0
    found: list[str] = []
    while True:
        begins = start + len(text[start:]) - len(text[start:].lstrip())
        cut = cuts.last(begins, begins + size) or cuts.next(begins + size)
        if cut >= len(text) or len(text) - begins <= size:
            return [*found, text[start:]]
        found.append(text[start:cut])
        start = cut


def is_break(text: str, at: int) -> bool:
    """Return whether a visible character surely ends here. In doubt, return False."""
    before, after = text[at - 1], text[at]
    if before.isascii() and after.isascii():
        return (before, after) != ("\r", "\n")
    kind, next_kind = unicodedata.category(before), unicodedata.category(after)
    if next_kind in ("Mn", "Mc", "Me", "Cf", "Cn") or kind in ("Cf", "Cn"):
        return False
    if kind in ("Mn", "Mc") and next_kind == "Lo":  # a conjunct may continue
        return False
    if before in _JOINING or after in _JOINED or ord(after) in _SKIN_TONES:
        return False
    if any(ord(after) in part for part in _HANGUL_PARTS):
        return False
    return not (ord(before) in _FLAG_LETTERS and ord(after) in _FLAG_LETTERS)


class _Cuts:
    """The places where a text may be cut."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._end = len(text.rstrip())
        """The text after a cut must not be blank."""
        self._fences = _fences(text)

    def last(self, start: int, end: int) -> int:
        """Return the best place after `start` and up to `end`; 0 if there is none."""
        least = max(start, end - _slack(end - start))
        for ends in (_SENTENCES, _WORDS):
            places = [found.end() for found in ends.finditer(self._text, start, end)]
            for place in reversed(places):
                if start < place >= least and self._allows(place):
                    return place
        anywhere = range(min(end, len(self._text)), start, -1)
        return next(filter(self._allows, anywhere), 0)

    def first(self, start: int) -> int:
        """Return the best place from `start` on; the end of the text if there is none."""
        most = start + _slack(len(self._text) - start)
        for ends in (_SENTENCES, _WORDS):
            # The end of a sentence may begin a little before `start`.
            for found in ends.finditer(self._text, max(start - _MAX_ENDING, 0), most):
                if found.end() >= start and self._allows(found.end()):
                    return found.end()
        return self.next(start)

    def next(self, start: int) -> int:
        """Return the first place from `start` on; the end of the text if there is none."""
        return next(filter(self._allows, range(start, self._end)), len(self._text))

    def _allows(self, place: int) -> bool:
        return 0 < place < self._end and not self._in_fence(place) and is_break(self._text, place)

    def _in_fence(self, place: int) -> bool:
        before = bisect_left(self._fences, (place, 0)) - 1
        return before >= 0 and place < self._fences[before][1]


def _slack(length: int) -> int:
    return max(length // 2, _MIN_SLACK)


def _fences(text: str) -> list[tuple[int, int]]:
    """Return start and end of each fenced block. An unclosed one ends with the text."""
    found: list[tuple[int, int]] = []
    opened: re.Match[str] | None = None
    for line in _FENCE.finditer(text):
        if opened is None:
            opened = line
        elif line[1].startswith(opened[1]) and not line[2].strip():
            found.append((opened.start(), line.end()))
            opened = None
    return [*found, (opened.start(), len(text))] if opened else found


def _longest_fitting(text: str, fits: Callable[[str], bool]) -> int:
    """Return how many characters of the beginning fit, without reading much more."""
    length, step = 0, 64
    while length + step < len(text) and fits(text[: length + step]):
        length, step = length + step, 2 * step
    while step > 1:
        step //= 2
        if length + step <= len(text) and fits(text[: length + step]):
            length += step
    return length


ARCHIVED_PART_SIZE = 1_500
"""The approximate number of characters of an archived fact; recall works best on short texts."""


def append_text(content: str, text: str) -> str:
    """Add a text at the end, on its own line."""
    at_line_start = not content or content.endswith("\n")
    return f"{content}{text}" if at_line_start else f"{content}\n{text}"


def insert_text(content: str, line: int, text: str) -> str:
    """Insert a text after a line; 0 inserts it before the first. End it with a line break."""
    lines = content.removesuffix("\n").split("\n") if content else []
    checked_int(line, "line", 0, len(lines))
    joined = "\n".join([*lines[:line], text.rstrip("\n"), *lines[line:]])
    return joined if joined.endswith("\n") else f"{joined}\n"


def as_stored(content: str, part: str) -> str:
    """Return a part of the content as it is stored: with its secrets masked."""
    return part if part in content else mask_text(part)


def replace_once(block: Block, old: str, new: str) -> str:
    """Return the content with the only occurrence of `old` replaced by `new`."""
    if not isinstance(old, str) or not old:
        raise InvalidInputError("the text to replace is empty", remedy="give a text from the block")
    old = as_stored(block.content, old)
    count = block.content.count(old)
    if count != 1:
        raise ConflictError(
            f"the text to replace occurs {count} times in {block.name!r}, not once",
            remedy="copy it exactly" if not count else "include more of the text around it",
            current=block,
        )
    return block.content.replace(old, new)


def with_content(
    unit: Unit, block: Block, content: str, tokenizers: Tokenizers, *, appended: bool = False
) -> Block:
    """Return the block with a new content, or as much of it as its limit allows.

    Text that was `appended` loses its beginning if it is too long, as does the text before it.
    """
    # Mask the whole text: an edit can put a secret together from harmless parts.
    content = checked_content(content)
    unit.admit([content], [block.content])
    exact = tokenizers.named(block.counted_by)
    # Without the exact tokenizer, use the estimate: it is never too low.
    tokens = (exact or tokenizers.estimate).count(content)
    if tokens <= block.limit_tokens:
        return replace(block, content=content, tokens=tokens)
    if exact is None:
        raise RefusedError(
            f"{block.name!r} is counted by {block.counted_by}, which is not installed here",
            remedy=f"{install_extra('tokens')}, or set a new limit with `blocks.set_limit`",
        )
    if block.overflow is Overflow.REFUSE:
        raise _too_large(block, tokens, "shorten it, raise the limit, or use overflow='archive'")
    place = Place.BEFORE if appended or _continues(block.content, content) else Place.AFTER
    kept, rest = _kept_and_rest(content, place, block.limit_tokens, exact)
    if not rest.strip():
        raise _too_large(block, tokens, "remove the blank overflow: it cannot be archived")
    count = _archive(unit, block, rest, place)
    return replace(
        block,
        content=kept,
        tokens=exact.count(kept),
        moved=len(rest),
        archived=block.archived + count,
    )


def _kept_and_rest(text: str, place: Place, limit: int, tokenizer: Tokenizer) -> tuple[str, str]:
    def fits(part: str) -> bool:
        return tokenizer.count(part) <= limit

    if place is Place.AFTER:
        return split(text, fits)
    rest, kept = split_end(text, fits)
    return kept, rest


def _continues(old: str, new: str) -> bool:
    """Return whether a text keeps more than half of the present one at its beginning."""
    return bool(old) and new.startswith(old[: len(old) // 2 + 1])


def _archive(unit: Unit, block: Block, rest: str, place: Place) -> int:
    """Store text as facts; return their number."""
    version, texts = block.version + 1, parts(rest, ARCHIVED_PART_SIZE)
    about = {"block": block.id, "version": version, "parts": len(texts), "place": place.value}
    for number, text in enumerate(texts, 1):
        overflow = draft(
            text,
            key=archive_key(block, f"{version:06}/{number:03}"),
            origin=Origin.AGENT,
            metadata={**about, "part": number},
            now=unit.now,
        )
        fact = overflow.to_fact(block.scope, unit.now)
        reason = f"overflow of {block.name!r}, version {version}"
        FACTS.add(unit, fact, overflow.fingerprint, action="remember", reason=reason)
        unit.tick()
    return len(texts)


def _too_large(block: Block, tokens: int, remedy: str) -> TooLargeError:
    return TooLargeError(
        f"{block.name!r} would have {tokens:,} tokens, {block.limit_tokens:,} are allowed",
        remedy=remedy,
    )
