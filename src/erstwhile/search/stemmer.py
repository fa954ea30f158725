"""The English stemmer of `snowballstemmer`, without the stemmers of thirty other languages.

Importing `snowballstemmer` loads all of them, which takes longer than opening a memory. This module
sets its `__path__` to the files of that package, so that the English file is loaded alone.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Protocol

_LIBRARY = find_spec("snowballstemmer")
__path__ = [] if _LIBRARY is None else list(_LIBRARY.submodule_search_locations or ())


class Stemmer(Protocol):
    """A stemmer object of `snowballstemmer` or PyStemmer."""

    def stemWord(self, word: str) -> str: ...  # noqa: N802 (the library's name)


def english() -> Stemmer:
    """Return the English stemmer, in C where PyStemmer is installed."""
    if find_spec("Stemmer") is not None:
        return import_module("snowballstemmer").stemmer("english")  # type: ignore[no-any-return]
    return import_module(f"{__name__}.english_stemmer").EnglishStemmer()  # type: ignore[no-any-return]
