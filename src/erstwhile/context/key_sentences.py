"""The most telling sentences of some messages, in their order: a summary that needs no model.

A sentence tells much if it holds words that many of the messages hold, too. It tells less the more
of its words were said already, so that the next one is about something else.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from heapq import heapify, heappop, heapreplace
from math import log
from typing import NamedTuple

from erstwhile.conversations.conversation import Message, Role
from erstwhile.core.memory_markers import without_memory
from erstwhile.search.terms import query_terms

_READ = 4_000
"""Of a longer message only so many characters are looked at."""
_LONGEST = 280
"""A longer sentence is cut."""
_USUAL = 12
"""So many different words a sentence has; a longer one must hold more of weight to tell more."""
_FEW = 3
"""A sentence of fewer words is likely to be a phrase, such as a greeting."""
_ONCE = 0.65
"""Keeps a word that only one message has from counting nothing: it may be a name."""
_END = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？；｡])|[\r\n\u2028\u2029]+")
_SPEAKERS = (Role.USER, Role.ASSISTANT)


class _Sentence(NamedTuple):
    message: int
    """The place of its message among all."""
    text: str
    cost: int
    """How many characters it takes, the name of the speaker included."""
    terms: Sequence[str]


def telling(messages: Sequence[Message], room: int) -> str:
    """A line for each message that has something to tell, in at most so many characters.

    Only what people and agents said counts, unless nobody said anything.
    """
    spoken = [each for each in messages if each.role in _SPEAKERS] or messages
    sentences = [part for at, each in enumerate(spoken) for part in _sentences(at, each)]
    lines: dict[int, str] = {}
    for at in sorted(_best(sentences, room)):
        place, text = sentences[at].message, sentences[at].text
        lines[place] = f"{lines[place]} {text}" if place in lines else _said(spoken[place], text)
    return "\n".join(lines.values())


def cut(text: str, longest: int) -> str:
    """The beginning of a text, with a sign that it goes on."""
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def _sentences(at: int, message: Message) -> Iterator[_Sentence]:
    for part in _END.split(without_memory(message.content)[:_READ]):
        text = cut(" ".join(part.split()), _LONGEST)
        if text:
            yield _Sentence(at, text, len(_said(message, text)) + 1, query_terms(text))


def _said(message: Message, text: str) -> str:
    return f"{message.role}: {text}"


def _best(sentences: Sequence[_Sentence], room: int) -> list[int]:
    """Places of the best that fit. Scores only fall, so that none is higher than it was."""
    weights, said = _weights(sentences), set[str]()
    heap = [(-_score(each, weights, said), at) for at, each in enumerate(sentences)]
    heapify(heap)
    chosen: list[int] = []
    while heap and room > 0:
        before, at = heap[0]
        score = _score(sentences[at], weights, said)
        if score < -before:
            heapreplace(heap, (-score, at))
            continue
        heappop(heap)
        if sentences[at].cost <= room:
            chosen.append(at)
            room -= sentences[at].cost
            said.update(sentences[at].terms)
    return chosen


def _weights(sentences: Sequence[_Sentence]) -> dict[str, float]:
    """By how many messages hold a word."""
    held = {(each.message, term): None for each in sentences for term in each.terms}
    return {term: log(count + _ONCE) for term, count in Counter(term for _, term in held).items()}


def _score(sentence: _Sentence, weights: Mapping[str, float], said: AbstractSet[str]) -> float:
    terms, count = sentence.terms, max(len(sentence.terms), 1)
    total = sum(weights[term] for term in terms) / (1 + count / _USUAL)
    new = sum(term not in said for term in terms) / count
    return total * new * count**2 / (count**2 + _FEW**2)
