"""The English stemmer of `snowballstemmer`, without those of its thirty other languages.

Its package loads them all, which takes longer than opening a memory. This module takes the
package's files for its own, so that one of them can be loaded by itself.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Protocol

_LIBRARY = find_spec("snowballstemmer")
__path__ = [] if _LIBRARY is None else list(_LIBRARY.submodule_search_locations or ())


class Stemmer(Protocol):
    def stemWord(self, word: str) -> str: ...  # noqa: N802 (the library's name)


def english() -> Stemmer:
    """In C where PyStemmer is installed, as the library has it."""
    if find_spec("Stemmer") is not None:
        return import_module("snowballstemmer").stemmer("english")  # type: ignore[no-any-return]
    return import_module(f"{__name__}.english_stemmer").EnglishStemmer()  # type: ignore[no-any-return]
