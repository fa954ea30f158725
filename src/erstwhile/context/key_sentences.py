"""Select the key sentences of messages, in their order: a summary without a model.

A sentence scores high if many messages have its words. It scores lower the more of its words are
in the sentences selected before, so that the next sentence has another topic.
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
"""The characters that are read of a message."""
_LONGEST = 280
"""The most characters of a sentence; a longer one is cut."""
_USUAL = 12
"""The usual number of different words of a sentence, for length normalisation."""
_FEW = 3
"""A sentence with fewer words is likely a phrase, such as a greeting."""
_ONCE = 0.65
"""Added to the count of messages, so that a word of one message counts: it may be a name."""
_END = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？；｡])|[\r\n\u2028\u2029]+")
_SPEAKERS = (Role.USER, Role.ASSISTANT)


class _Sentence(NamedTuple):
    """A sentence of a message."""

    message: int
    """The index of its message."""
    text: str
    cost: int
    """The characters of its line, with the role."""
    terms: Sequence[str]


def key_sentences(messages: Sequence[Message], max_chars: int) -> str:
    """Return one line for each message with key sentences, in at most `max_chars` characters.

    Only messages of users and assistants count, unless there are none.
    """
    dialogue = [each for each in messages if each.role in _SPEAKERS] or messages
    sentences = [part for at, each in enumerate(dialogue) for part in _sentences(at, each)]
    lines: dict[int, str] = {}
    for at in sorted(_select(sentences, max_chars)):
        place, text = sentences[at].message, sentences[at].text
        lines[place] = f"{lines[place]} {text}" if place in lines else _line(dialogue[place], text)
    return "\n".join(lines.values())


def shorten(text: str, longest: int) -> str:
    """Return a text cut to `longest` characters, with an ellipsis if it was longer."""
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def _sentences(at: int, message: Message) -> Iterator[_Sentence]:
    for part in _END.split(without_memory(message.content)[:_READ]):
        text = shorten(" ".join(part.split()), _LONGEST)
        if text:
            yield _Sentence(at, text, len(_line(message, text)) + 1, query_terms(text))


def _line(message: Message, text: str) -> str:
    return f"{message.role}: {text}"


def _select(sentences: Sequence[_Sentence], room: int) -> list[int]:
    """Return the places of the best sentences that fit. A score can only fall in the loop."""
    weights, covered = _weights(sentences), set[str]()
    heap = [(-_score(each, weights, covered), at) for at, each in enumerate(sentences)]
    heapify(heap)
    chosen: list[int] = []
    while heap and room > 0:
        before, at = heap[0]
        score = _score(sentences[at], weights, covered)
        if score < -before:
            heapreplace(heap, (-score, at))
            continue
        heappop(heap)
        if sentences[at].cost <= room:
            chosen.append(at)
            room -= sentences[at].cost
            covered.update(sentences[at].terms)
    return chosen


def _weights(sentences: Sequence[_Sentence]) -> dict[str, float]:
    """Return the weight of each word: the logarithm of the number of messages with it."""
    held = {(each.message, term): None for each in sentences for term in each.terms}
    return {term: log(count + _ONCE) for term, count in Counter(term for _, term in held).items()}


def _score(sentence: _Sentence, weights: Mapping[str, float], covered: AbstractSet[str]) -> float:
    terms, count = sentence.terms, max(len(sentence.terms), 1)
    total = sum(weights[term] for term in terms) / (1 + count / _USUAL)
    new = sum(term not in covered for term in terms) / count
    return total * new * count**2 / (count**2 + _FEW**2)
