"""Split text into terms: for the full-text index, and for a query.

Texts and queries go through the same steps, so that their terms agree. Latin words lose their
accents and are stemmed. Scripts without spaces give single characters and pairs, so that a Chinese
word of two characters is found inside a sentence. Identifiers, paths and versions give both the
whole and the parts: `getUserName`, `src/app.py`, `3.11.7`.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from functools import cache, lru_cache
from itertools import chain
from pathlib import Path

from Stemmer import Stemmer

MAX_TERMS = 512
"""The most terms that are read of a query."""

JOINT = "ː"
"""Joins the parts of a compound into one term. Tokenizers see a letter, and no word has it."""
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
# Word characters that `\w` does not match: marks of Indic scripts, Hebrew and Arabic.
_MARKS = (
    "\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed"
    "\u0900-\u0963\u0966-\u0dff"
)
_LETTER = rf"(?:[^\W_]|[{_MARKS}])"
_COMPOUND = re.compile(rf"{_LETTER}+(?:[_./\\:@+#-]+{_LETTER}+)*")
_ASCII_COMPOUND = re.compile(r"[A-Za-z0-9]+(?:[_./\\:@+#-]+[A-Za-z0-9]+)*")
"""The same for ASCII text, three times as fast."""
_PART = re.compile(rf"{_LETTER}+")
_JOINERS = re.compile("[\u200c\u200d]")
_HUMP = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_POSSESSIVE = re.compile(r"['’]s?\b")


def terms(text: str) -> list[str]:
    """Return every term of a text, in order, with repeats."""
    pattern = _ASCII_COMPOUND
    if not text.isascii():
        text, pattern = _JOINERS.sub("", unicodedata.normalize("NFKC", text)), _COMPOUND
    if "'" in text or "’" in text:
        text = _POSSESSIVE.sub(" ", text)
    return list(chain.from_iterable(map(_compound_terms, pattern.findall(text))))


def query_terms(text: str) -> list[str]:
    """Return the distinct terms of a query without stop words, unless it has only stop words."""
    found = list(dict.fromkeys(terms(text)))
    content_terms = [term for term in found if term not in _stop_terms(term[0])]
    return (content_terms or found)[:MAX_TERMS]


@cache
def stop_terms() -> frozenset[str]:
    """Return the terms of all stop words."""
    return frozenset().union(*map(_stop_terms, _stop_words()))


@cache
def _stop_terms(initial: str) -> frozenset[str]:
    """Return the terms of stop words with this initial. Stemming all of them would be slow."""
    words = _stop_words().get(initial, [])
    return frozenset(word if is_unspaced(word) else _word_term(word) for word in words)


@cache
def _stop_words() -> dict[str, list[str]]:
    """Return the stop words by their initial, which is also the initial of their stems."""
    by_initial: dict[str, list[str]] = {}
    for word in (Path(__file__).parent / "stopwords.txt").read_text("utf-8").split():
        by_initial.setdefault(_folded(word)[0], []).append(word)
    return by_initial


def is_unspaced(text: str) -> bool:
    """Return whether a text has a script that is written without spaces."""
    return not text.isascii() and _unspaced_run().search(text) is not None


# Compiled on first use: compiling is slow, and ASCII text does not need them.
@cache
def _unspaced_run() -> re.Pattern[str]:
    return re.compile(f"[{_UNSPACED}]+")


@cache
def _script_run() -> re.Pattern[str]:
    return re.compile(f"[{_UNSPACED}]+|[^{_UNSPACED}]+")


@lru_cache(maxsize=65_536)
def _compound_terms(compound: str) -> tuple[str, ...]:
    """Return the terms of each part, and the whole as one term if it has several parts."""
    parts = _PART.findall(compound)
    found = list[str]()
    for part in parts:
        for run in (part,) if part.isascii() else _script_run().findall(part):
            if is_unspaced(run):
                found += (*run, *(run[at : at + 2] for at in range(len(run) - 1)))
                continue
            found.append(_word_term(run))
            is_plain = run.isdigit() or (run.isalpha() and run.islower()) or not run.isascii()
            humps = [] if is_plain else _HUMP.findall(run)
            if len(humps) > 1:  # the parts of camelCase, or letters and digits
                found += map(_word_term, humps)
    if len(parts) > 1:
        found.append(JOINT.join(part.casefold() for part in parts))
    # A combining mark without a letter gives an empty term.
    return tuple(term for term in found if term)


def _word_term(word: str) -> str:
    """Return a Latin word as its stem, another word in lower case."""
    folded = _folded(word)
    stems = len(folded) > 2 and folded.isascii() and folded.isalpha()
    return str(_stemming.stemmer.stemWord(folded)) if stems else folded


def _folded(word: str) -> str:
    """Remove case, and accents from letters; marks of other scripts belong to the word and stay."""
    folded = word.casefold()
    if folded.isascii():
        return folded
    decomposed = unicodedata.normalize("NFD", folded)
    kept = "".join(letter for letter in decomposed if not "\u0300" <= letter <= "\u036f")
    return unicodedata.normalize("NFC", kept)


class _Stemming(threading.local):
    """The stemmer of each thread. A stemmer has state, so threads cannot share it."""

    def __init__(self) -> None:
        # The library's own cache is slower than its stemmer, and `_compound_terms` has one.
        self.stemmer = Stemmer("english", 0)


_stemming = _Stemming()
