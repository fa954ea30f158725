"""Tell the topic of a query from the words that only say how to search.

"How many books did Mia use in the last three months?" is about Mia and books. Words of request,
amount, time and small talk, and the most general verbs, count less, unless a query has no others.
The words are in `topic.toml`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence, Set
from functools import cache
from itertools import chain
from pathlib import Path

from erstwhile.search.dates import names_of_days_and_months
from erstwhile.search.terms import JOINT, is_unspaced, stop_terms, terms

TOPIC = 1.0
OTHERS_WEIGHT = 0.6
"""The weight of a term that does not belong to the topic. With 0 words would be lost that some
texts do have: "last" is a part of "last name"."""
_CAPITALISED = re.compile(r"(?<=[^\W\d_,;])[,;]? [\"“'(]?([A-Z][a-z]+)")
_NUMBERS = re.compile(rf"\d+(?:{JOINT}\d+)*")
_GERMAN_WORDS = 2
_MAX_QUESTION = 30
"""The most words of a query whose names are looked up."""


def topic_weights(query_terms: Sequence[str], *, dated: bool = False) -> Mapping[str, float]:
    """Return the weight of each term: 1 for the topic, less for request, amount and time.

    Numbers belong to the time of a query that is `dated`.
    """
    others = {
        term
        for term in query_terms
        if term in _other_terms() or (dated and _NUMBERS.fullmatch(term))
    }
    if len(others) == len(query_terms):
        return dict.fromkeys(query_terms, TOPIC)
    return {term: OTHERS_WEIGHT if term in others else TOPIC for term in query_terms}


def asks_for_everything(query_terms: Sequence[str], subject: Set[str]) -> bool:
    """Return whether a query has only words of request beside the names of its subject."""
    return bool(subject) and subject | _request_terms() >= set(query_terms)


def is_small_talk(query: str) -> bool:
    """Return whether a query has only greetings, thanks and the like: it asks for nothing."""
    said = {term for term in terms(query) if len(term) > 1 or not is_unspaced(term)} - stop_terms()
    return bool(said) and said <= _small_talk()


def proper_names(query: str) -> list[str]:
    """Return the words that are likely names: with a capital letter inside a sentence.

    German has none, because all its nouns have capital letters. Nor has a long query, such as a
    whole dialogue: it mentions much that is not asked for.
    """
    if query.count(" ") > _MAX_QUESTION:
        return []
    found = _CAPITALISED.findall(query)
    if not found or len(_words("german").intersection(query.lower().split())) >= _GERMAN_WORDS:
        return []
    return [name for name in found if not _other_terms().issuperset(terms(name))]


@cache
def _other_terms() -> frozenset[str]:
    kinds = ("request", "general", "amount", "time", "small_talk")
    words = {*chain.from_iterable(map(_words, kinds)), *names_of_days_and_months()}
    return _terms_of(words)


@cache
def _request_terms() -> frozenset[str]:
    return _terms_of(_words("request"))


@cache
def _small_talk() -> frozenset[str]:
    return _terms_of(_words("small_talk"))


def _terms_of(words: set[str] | frozenset[str]) -> frozenset[str]:
    """Return the terms of words; of a word without spaces only the whole, not its characters."""
    return frozenset(
        term for word in words for term in ((word,) if is_unspaced(word) else terms(word))
    )


@cache
def _words(kind: str) -> frozenset[str]:
    return frozenset(_file()[kind].split())


@cache
def _file() -> Mapping[str, str]:
    return tomllib.loads(Path(__file__).with_name("topic.toml").read_text("utf-8"))
