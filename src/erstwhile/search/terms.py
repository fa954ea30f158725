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
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
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
    parts = _PART.findall(compound)
    # A combining mark without a letter gives an empty term.
    found = [term for part in parts for term in _part_terms(part) if term]
    if len(parts) > 1:
        found.append(JOINT.join(part.casefold() for part in parts))
    return tuple(found)


def _part_terms(part: str) -> Iterator[str]:
    if part.isascii():
        yield from _spaced_terms(part)
        return
    for run in _script_run().findall(part):
        if _unspaced_run().match(run):
            yield from run
            yield from (run[at : at + 2] for at in range(len(run) - 1))
        else:
            yield from _spaced_terms(run)


def _spaced_terms(run: str) -> Iterator[str]:
    """Yield the term of a word, and the terms of its camelCase or digit parts."""
    yield _word_term(run)
    plain = run.isdigit() or (run.isalpha() and run.islower())
    humps = [] if plain or not run.isascii() else _HUMP.findall(run)
    if len(humps) > 1:
        yield from (_word_term(hump) for hump in humps)


def _word_term(word: str) -> str:
    folded = _folded(word)
    return _stemmed(folded) if folded.isascii() and folded.isalpha() else folded


def _folded(word: str) -> str:
    folded = word.casefold()
    return folded if folded.isascii() else _without_accents(folded)


def _without_accents(word: str) -> str:
    """Remove accents from letters; marks of other scripts belong to the word and stay."""
    decomposed = unicodedata.normalize("NFD", word)
    kept = "".join(letter for letter in decomposed if not "\u0300" <= letter <= "\u036f")
    return unicodedata.normalize("NFC", kept)


def _stemmed(word: str) -> str:
    return word if len(word) < 3 else str(_stemmer().stemWord(word))


_own = threading.local()
_NO_CACHE = 0
"""The library's own cache is slower than its stemmer, and `_compound_terms` has one."""


def _stemmer() -> Stemmer:
    """Return the stemmer of this thread. A stemmer has state, so threads cannot share it."""
    found: Stemmer | None = getattr(_own, "stemmer", None)
    if found is None:
        # Imported here: opening a memory does not need the stemmer.
        from Stemmer import Stemmer

        found = _own.stemmer = Stemmer("english", _NO_CACHE)
    return found
