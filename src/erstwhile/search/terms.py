"""Text into terms: the words that are stored for a fact and looked for in a question.

Both sides go through the same steps, so what matters is that they agree. Latin words are stripped
of their accents and stemmed. Scripts without spaces give single characters and pairs, so that a
Chinese word of two characters is found inside a sentence. Identifiers, paths and versions are kept
whole and by part: `getUserName`, `src/app.py`, `3.11.7`.
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
    from erstwhile.search.stemmer import Stemmer

MAX_TERMS = 512
"""What is read of a question; of very many terms the rarer are looked for."""

JOINT = "ː"
"""Joins the parts of a compound into one term. A letter to every tokenizer, and in no word."""


_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
# What `\w` leaves out of words: vowel signs and other marks of Indic scripts, Hebrew and Arabic.
_MARKS = (
    "\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed"
    "\u0900-\u0963\u0966-\u0dff"
)
_LETTER = rf"(?:[^\W_]|[{_MARKS}])"
_COMPOUND = re.compile(rf"{_LETTER}+(?:[_./\\:@+#-]+{_LETTER}+)*")
_ASCII_COMPOUND = re.compile(r"[A-Za-z0-9]+(?:[_./\\:@+#-]+[A-Za-z0-9]+)*")
"""The same for plain text, which most is, in a third of the time."""
_PART = re.compile(rf"{_LETTER}+")
_JOINERS = re.compile("[\u200c\u200d]")
_HUMP = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_POSSESSIVE = re.compile(r"['’]s?\b")


def terms(text: str) -> list[str]:
    """Every term of a text, in order, repeats included."""
    pattern = _ASCII_COMPOUND
    if not text.isascii():
        text, pattern = _JOINERS.sub("", unicodedata.normalize("NFKC", text)), _COMPOUND
    if "'" in text or "’" in text:
        text = _POSSESSIVE.sub(" ", text)
    return list(chain.from_iterable(map(_compound_terms, pattern.findall(text))))


def query_terms(text: str) -> list[str]:
    """The distinct terms of a question; words that say nothing go, unless there are no others."""
    found = list(dict.fromkeys(terms(text)))
    telling = [term for term in found if term not in _stop_terms(term[0])]
    return (telling or found)[:MAX_TERMS]


@cache
def stop_terms() -> frozenset[str]:
    """The terms of words that say nothing."""
    return frozenset().union(*map(_stop_terms, _stop_words()))


@cache
def _stop_terms(initial: str) -> frozenset[str]:
    """Those that begin with this letter: a question has few, and stemming all takes a while."""
    words = _stop_words().get(initial, [])
    return frozenset(word if is_unspaced(word) else _word_term(word) for word in words)


@cache
def _stop_words() -> dict[str, list[str]]:
    """Words that say nothing, by the letter with which they and their stems begin."""
    by_initial: dict[str, list[str]] = {}
    for word in (Path(__file__).parent / "stopwords.txt").read_text("utf-8").split():
        by_initial.setdefault(_folded(word)[0], []).append(word)
    return by_initial


def is_unspaced(text: str) -> bool:
    """Whether a text is written in a script that sets no spaces."""
    return not text.isascii() and _unspaced_run().search(text) is not None


# Made when they are needed, which takes a while and which plain text never does.
@cache
def _unspaced_run() -> re.Pattern[str]:
    return re.compile(f"[{_UNSPACED}]+")


@cache
def _script_run() -> re.Pattern[str]:
    return re.compile(f"[{_UNSPACED}]+|[^{_UNSPACED}]+")


@lru_cache(maxsize=65_536)
def _compound_terms(compound: str) -> tuple[str, ...]:
    parts = _PART.findall(compound)
    # A mark that stands alone, with no letter under it, is no term.
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
    """A word; one with humps or digits inside also by part."""
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
    """Accents go where they are additions to letters; elsewhere marks are part of the script."""
    decomposed = unicodedata.normalize("NFD", word)
    kept = "".join(letter for letter in decomposed if not "\u0300" <= letter <= "\u036f")
    return unicodedata.normalize("NFC", kept)


def _stemmed(word: str) -> str:
    return word if len(word) < 3 else str(_stemmer().stemWord(word))


_own = threading.local()


def _stemmer() -> Stemmer:
    """This thread's own: it keeps the word that it is at, and two threads would mix theirs up."""
    found: Stemmer | None = getattr(_own, "stemmer", None)
    if found is None:
        # Loaded here: remembering and recalling need it, importing does not.
        from erstwhile.search import stemmer as snowball

        found = _own.stemmer = snowball.english()
    return found
