"""A question as recall understands it: its words, the names in it, the time it speaks of."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from erstwhile.core.text import folded
from erstwhile.core.time import from_micros
from erstwhile.recall.time_intent import Intent, read_intent
from erstwhile.search.terms import MAX_TERMS, query_terms
from erstwhile.storage.view import View

_WORDS = re.compile(r"[^\s?!,;:()\[\]{}\"“”«»。？！，、；：]+")
_POSSESSIVE = re.compile(r"['’]s?$")
_LONGEST_NAME = 4
_MOST_WORDS = 64


@dataclass(frozen=True, slots=True)
class Question:
    """What is looked for."""

    text: str
    terms: Sequence[str]
    names: Sequence[str]
    embedded: str
    intent: Intent


def understand(view: View, text: str) -> Question:
    """Read a question; names of known entities are looked for as words and not embedded.

    A name says who is meant, and pulls its vector towards everything that was ever said of them;
    what is asked shows better without it. An alias brings the entity's other names along.
    """
    words = _WORDS.findall(text)
    spans = _spans(words[:_MOST_WORDS])
    wanted = json.dumps(list(spans), ensure_ascii=False)
    known = view.rows("named_entities", {"names": wanted}) if spans else []
    terms = query_terms(text)
    others = [term for _, name in known for term in query_terms(name) if term not in terms]
    return Question(
        text=text,
        terms=list(dict.fromkeys([*terms, *others]))[:MAX_TERMS],
        names=sorted({name for _, name in known}),
        embedded=_without(text, words, [spans[found] for found, _ in known]),
        intent=read_intent(text, from_micros(view.as_of)),
    )


def _spans(words: Sequence[str]) -> dict[str, set[int]]:
    """Every run of a few words, as a name is compared, with the places of its words."""
    bare = [_POSSESSIVE.sub("", word).strip(".-'’") for word in words]
    spans: dict[str, set[int]] = {}
    for length in range(1, _LONGEST_NAME + 1):
        for start in range(len(bare) - length + 1):
            name = folded(" ".join(bare[start : start + length]))
            if name:
                spans.setdefault(name, set()).update(range(start, start + length))
    return spans


def _without(text: str, words: Sequence[str], names: Iterable[set[int]]) -> str:
    """The text without the words in these places, or as it is if nothing else would be left."""
    gone: set[int] = set().union(*names)
    if not gone or len(gone) == len(words):
        return text
    return " ".join(word for place, word in enumerate(words) if place not in gone)
