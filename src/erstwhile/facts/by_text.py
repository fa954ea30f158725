"""Find one fact by its text, or by a part of it that only this fact has."""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum

from erstwhile.core.errors import AmbiguousTextError, NotFoundError
from erstwhile.core.kinds import State
from erstwhile.core.page import MAX_LIMIT, PageRequest
from erstwhile.core.text import checked_text, folded, like_pattern
from erstwhile.facts.draft import MAX_TEXT
from erstwhile.facts.fact import Fact
from erstwhile.facts.filters import params_on
from erstwhile.facts.rows import to_fact
from erstwhile.storage.view import View

_MOST = 20
"""The most candidates that an error lists."""
_COMPARED_IN_STORE = 1_000
"""Characters of the text that the store compares; the rest is compared here."""
_UNSPACED = "\u0e00"
"""From this character on, many scripts have no spaces: any part of a text may be a word."""


class TextMatch(IntEnum):
    """How well a text is the one that was asked for, the best first."""

    SAME = 0
    ALIKE = 1
    """The same but for letter case, spacing and Unicode form."""
    BEGINNING = 2
    PART = 3


def find_by_text(view: View, text: str, state: State) -> Fact:
    """Return the fact that matches a text best; raise AmbiguousTextError if there are several.

    A fact of exactly the viewer's scope goes before facts of wider scopes.
    """
    wanted = checked_text(text, name="text", limit=MAX_TEXT)
    best: list[Fact] = []
    rank = (len(TextMatch), False)
    for fact in _containing(view, wanted, state):
        match = compare(fact.text, wanted)
        found = (len(TextMatch) if match is None else match, not view.viewer.may_change(fact.scope))
        if found < rank:
            best, rank = [fact], found
        elif found == rank and match is not None and len(best) < _MOST:
            best.append(fact)
    if not best:
        raise NotFoundError("no fact with this text is visible here", remedy="try `recall`")
    if len(best) > 1:
        raise AmbiguousTextError(tuple(fact.id for fact in best))
    return best[0]


def compare(text: str, wanted: str) -> TextMatch | None:
    """Return how a text matches the wanted one. A part of it must consist of whole words."""
    if text == wanted:
        return TextMatch.SAME
    text, wanted = folded(text), folded(wanted)
    if text == wanted:
        return TextMatch.ALIKE
    place = _place_of_words(text, wanted)
    if place is None:
        return None
    return TextMatch.BEGINNING if place == 0 else TextMatch.PART


def _containing(view: View, text: str, state: State) -> Iterator[Fact]:
    """Yield the visible facts that contain a text, perhaps within a word, newest first."""
    pattern = like_pattern(folded(text)[:_COMPARED_IN_STORE])
    cursor: str | None = None
    while True:
        request = PageRequest(MAX_LIMIT, cursor)
        params = {**params_on(view, {}), "contains": pattern, **request.params}
        rows = view.rows("list_facts", params, state, "all")
        page = request.page([to_fact(row) for row in rows])
        yield from page
        if page.next is None:
            return
        cursor = page.next


def _place_of_words(text: str, part: str) -> int | None:
    """Return where a part begins in a text, if no word is cut at either end."""
    start = text.find(part)
    while start >= 0:
        if not _cuts_a_word(text, start) and not _cuts_a_word(text, start + len(part)):
            return start
        start = text.find(part, start + 1)
    return None


def _cuts_a_word(text: str, place: int) -> bool:
    sides = text[max(place - 1, 0) : place + 1]
    return 0 < place < len(text) and all(map(_is_letter, sides))


def _is_letter(character: str) -> bool:
    return character.isalnum() and character < _UNSPACED
