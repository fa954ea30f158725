"""Parse a query: its terms, the entities that it names, the period that it is about."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from erstwhile.core.text import folded
from erstwhile.core.time import from_micros
from erstwhile.recall.time_intent import TimeIntent, read_intent
from erstwhile.search.terms import MAX_TERMS, query_terms
from erstwhile.storage.view import View

_WORDS = re.compile(r"[^\s?!,;:()\[\]{}\"“”«»。？！，、；：]+")
_POSSESSIVE = re.compile(r"['’]s?$")
_LONGEST_NAME = 4
_MOST_WORDS = 64


@dataclass(frozen=True, slots=True)
class ParsedQuery:
    """A query as recall searches for it."""

    text: str
    terms: Sequence[str]
    names: Sequence[str]
    embedded: str
    intent: TimeIntent


def parse_query(view: View, text: str) -> ParsedQuery:
    """Parse a query. Names of known entities are searched as words and are not embedded.

    A name would move the query vector towards every fact about that entity; without the name the
    vector shows the topic. An alias adds the other names of its entity to the terms.
    """
    words = _WORDS.findall(text)
    spans = _spans(words[:_MOST_WORDS])
    names = json.dumps(list(spans), ensure_ascii=False)
    known = view.rows("named_entities", {"names": names}) if spans else []
    terms = query_terms(text)
    others = [term for _, name in known for term in query_terms(name) if term not in terms]
    return ParsedQuery(
        text=text,
        terms=list(dict.fromkeys([*terms, *others]))[:MAX_TERMS],
        names=sorted({name for _, name in known}),
        embedded=_without_names(text, words, [spans[found] for found, _ in known]),
        intent=read_intent(text, from_micros(view.as_of)),
    )


def _spans(words: Sequence[str]) -> dict[str, set[int]]:
    """Return every run of up to four words, folded as names are, with the places of its words."""
    bare = [_POSSESSIVE.sub("", word).strip(".-'’") for word in words]
    spans: dict[str, set[int]] = {}
    for length in range(1, _LONGEST_NAME + 1):
        for start in range(len(bare) - length + 1):
            name = folded(" ".join(bare[start : start + length]))
            if name:
                spans.setdefault(name, set()).update(range(start, start + length))
    return spans


def _without_names(text: str, words: Sequence[str], names: Iterable[set[int]]) -> str:
    """Return the text without the words at these places, or unchanged if no word would remain."""
    gone: set[int] = set().union(*names)
    if not gone or len(gone) == len(words):
        return text
    return " ".join(word for place, word in enumerate(words) if place not in gone)
