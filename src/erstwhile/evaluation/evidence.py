"""What of the evidence a context quotes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from erstwhile.context.model import Context, ContextItem
from erstwhile.conversations.conversation import Role
from erstwhile.evaluation.haystack import Item
from erstwhile.search.terms import query_terms

_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+|(?<=[。！？；])|\n+")
_FEWEST_WORDS = 4
"""A shorter sentence may be in many messages, so quoting it says nothing about its source."""
_STATED = 0.4
"""The share of the words of a wish that the sentence which states it must have."""
_KEPT = 0.8
"""The share of these words that must be quoted, in one sentence."""
_REWORDED = 0.75
"""The share of the words of a wish that another record must have, in one sentence"""
_LONGEST = 3
"""of at most this many times as many words: a very long one has any words."""


def quoted_items(context: Context, stored: Mapping[str, Sequence[Item]]) -> list[Item]:
    """Return the items that a context quotes.

    An item counts if it is itself quoted, in full or in part, or if another record, such as a fact
    that was learned from it, quotes a whole sentence of it.
    """
    quoted = {id: None for each in context.items for id in _sources(each) if id in stored}
    others = [each for each in context.items if not quoted.keys() & set(_sources(each))]
    sentences = {_plain(said) for each in others for said in _long_sentences(each.text)}
    found = [item for id in quoted for item in stored[id]]
    if not sentences:
        return found
    rest = (item for id in stored if id not in quoted for item in stored[id])
    return [*found, *(item for item in rest if _has_any(sentences, item.text))]


def has_wish(
    context: Context, wish: str, evidence: Iterable[Item], stored: Mapping[str, Sequence[Item]]
) -> bool:
    """Return whether a context states a wish.

    Either it quotes the sentence in which the person said it, or a sentence of another record of
    the person has most of the words of the wish and not many others. Neither another part of the
    same message nor the assistant's answer to it counts.
    """
    words = _words(wish)
    said = {item.id: _stating_words(item.text, words) for item in evidence}
    for each in context.items:
        sentences = [_words(sentence) for sentence in _sentences(each.text)]
        items = [item for id in _sources(each) for item in stored.get(id, ())]
        needed = [said[item.id] for item in items if said.get(item.id)]
        if any(_share(some, sentence) >= _KEPT for some in needed for sentence in sentences):
            return True
        is_answer = any(item.role == Role.ASSISTANT for item in items)
        if not is_answer and any(_rewords(words, sentence) for sentence in sentences):
            return True
    return False


def _sources(item: ContextItem) -> tuple[str, ...]:
    return item.id, getattr(item.source, "id", item.id)


def _stating_words(text: str, wish: frozenset[str]) -> frozenset[str]:
    """Return the words of a wish in the sentence that states it; none if no sentence does."""
    shared = (wish & _words(sentence) for sentence in _sentences(text))
    best = max(shared, key=len, default=frozenset())
    return best if len(best) >= _STATED * len(wish) else frozenset()


def _rewords(wish: frozenset[str], sentence: frozenset[str]) -> bool:
    return _share(wish, sentence) >= _REWORDED and len(sentence) <= _LONGEST * len(wish)


def _share(wanted: frozenset[str], given: frozenset[str]) -> float:
    return len(wanted & given) / len(wanted) if wanted else 0.0


def _words(text: str) -> frozenset[str]:
    return frozenset(query_terms(text))


def _sentences(text: str) -> Iterator[str]:
    yield from (part for part in _SENTENCE_END.split(text) if part and part.strip())


def _long_sentences(text: str) -> Iterator[str]:
    yield from (part for part in _sentences(text) if len(query_terms(part)) >= _FEWEST_WORDS)


def _has_any(sentences: Iterable[str], text: str) -> bool:
    plain = _plain(text)
    return any(sentence in plain for sentence in sentences)


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))
