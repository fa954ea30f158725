"""Tokenizers, which count the tokens of a text: exactly, or by an upper bound.

The estimate needs no vocabulary. Its bounds follow from byte pair encoding, which leaves no two
neighbours whose union is a token. So where every pair of letters is a token, no two single letters
stay side by side, and three letters are at most two tokens. `token_pieces.txt` holds texts that are
one token in both vocabularies of OpenAI: pairs of letters, common words, characters
(`scripts/generate_pieces.py` extracts them). All other text counts one token per byte.

Exact counts use the compiled part of the package bpe-openai, without the rest of it: on import the
package decodes all its vocabularies again in Python, which takes more than a second.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from functools import cache
from importlib.machinery import ExtensionFileLoader
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import NamedTuple
from warnings import catch_warnings, simplefilter

from erstwhile.core.errors import InvalidInputError
from erstwhile.core.installing import install_extra
from erstwhile.core.logs import log_failure
from erstwhile.core.ports import Tokenizer

AUTO = "auto"
_ENCODINGS = ("o200k_base", "cl100k_base")
"""The newest first. The estimate is an upper bound for these."""
_PACKAGE = "bpe_openai"
_COMPILED_MODULE = f"{_PACKAGE}._bindings"
_TEXT_PARTS = re.compile(
    r"(?P<word> ?[A-Za-z]+)|(?P<digits>[0-9]+)|(?P<spaces> {1,16}(?![A-Za-z]))"
    r"|(?P<ascii>[\x00-\x7f])|(?P<other>[^\x00-\x7f])"
)
_DIGITS_PER_TOKEN = 3
_BETWEEN_LINES = re.compile(r"\n(?= *[^\s/])")
"""A place that no token of OpenAI's vocabularies crosses.

They never join the end of a line with the next line, unless that begins with a line end, a space or
a slash. Spaces before other text begin a token of their own.
"""


class NamedTokenizers:
    """The tokenizers of this process: the setting counts new texts, the stored name old ones."""

    def __init__(self, setting: str) -> None:
        self._setting = setting

    @property
    def default(self) -> Tokenizer:
        if self._setting == AUTO:
            return _tokenizer(_ENCODINGS[0]) or EstimatingTokenizer()
        found = _tokenizer(self._setting)
        if found is None:
            raise InvalidInputError(
                f"the tokenizer {self._setting!r} is not installed",
                remedy=f"{install_extra('tokens')}, or set tokenizer to auto or estimate",
            )
        return found

    @property
    def estimate(self) -> Tokenizer:
        return EstimatingTokenizer()

    def named(self, name: str) -> Tokenizer | None:
        """Return the tokenizer that counted a block; None if it is not installed."""
        return _tokenizer(name)


@cache
def _tokenizer(name: str) -> Tokenizer | None:
    if name == EstimatingTokenizer.name:
        return EstimatingTokenizer()
    if find_spec(_PACKAGE) is None:
        return None
    encoding = name if name in _ENCODINGS else _encoding_of_model(name)
    compiled = _compiled()
    if compiled is None:
        return None
    return ExactTokenizer(encoding, compiled.tokenizer_for_encoding(encoding).count)


def _encoding_of_model(name: str) -> str:
    with catch_warnings():
        simplefilter("ignore", DeprecationWarning)  # it reads its files in a deprecated way
        # Imported here: it takes a second, and only the name of a model needs it.
        import bpe_openai

    known = name in bpe_openai.list_supported_models()
    encoding = bpe_openai.encoding_name_for_model(name) if known else name
    if encoding not in _ENCODINGS:
        raise InvalidInputError(
            f"unknown tokenizer {name!r}",
            remedy=f"use auto, estimate, {' or '.join(_ENCODINGS)}, or a model such as gpt-4o",
        )
    return encoding


@cache
def _compiled() -> ModuleType | None:
    """Return the compiled module; it is registered, because it may be loaded only once."""
    if _COMPILED_MODULE in sys.modules:
        return sys.modules[_COMPILED_MODULE]
    package = find_spec(_PACKAGE)
    folders = package.submodule_search_locations if package else None
    for file in (each for folder in folders or () for each in Path(folder).glob("_bindings.*")):
        spec = spec_from_file_location(_COMPILED_MODULE, file)
        if spec and isinstance(spec.loader, ExtensionFileLoader):
            module = module_from_spec(spec)
            spec.loader.exec_module(module)
            sys.modules[_COMPILED_MODULE] = module
            return module
    return None


class Vocabulary(NamedTuple):
    """Texts of one token; `halves` are first two bytes of characters, `words` follow a space."""

    characters: frozenset[str]
    halves: frozenset[bytes]
    pairs: frozenset[str]
    words: frozenset[str]
    bare_words: frozenset[str]


class EstimatingTokenizer:
    """An upper bound of the counts of OpenAI's o200k_base and cl100k_base."""

    name = "estimate"

    def count(self, text: str) -> int:
        vocabulary = _vocabulary()
        return sum(_cost(found, vocabulary) for found in _TEXT_PARTS.finditer(text))

    def parts(self, text: str) -> list[str]:
        """Return the text in parts whose token counts add up to that of the whole."""
        *ended, last = _BETWEEN_LINES.split(text)
        return [f"{line}\n" for line in ended] + [last]


class ExactTokenizer(EstimatingTokenizer):
    """Counts tokens as OpenAI's models do, in one encoding such as o200k_base."""

    def __init__(self, name: str, count_tokens: Callable[[str], int]) -> None:
        self.name = name
        self._count_tokens = count_tokens

    def count(self, text: str) -> int:
        """Return the tokens. What cannot be counted is estimated: no text may stop a context."""
        try:
            return self._count_tokens(text)
        except Exception as error:
            log_failure(__name__, "a text was estimated instead of counted", error=error)
            return super().count(text)


def _cost(found: re.Match[str], vocabulary: Vocabulary) -> int:
    part = found[0]
    before = found.string[max(found.start() - 1, 0) : found.start()]
    after = found.string[found.end() : found.end() + 1]
    match found.lastgroup:
        case "word":
            return _word_cost(part, before, after, vocabulary)
        case "digits":
            return -(-len(part) // _DIGITS_PER_TOKEN) if before.isascii() else len(part)
        case "spaces":
            # The last of several spaces joins some characters, such as signs.
            joins = after.isascii() and not after.isdigit()
            joins = joins and (after.isprintable() or after in "\t\n\r")
            return 1 if len(part) == 1 or joins else 2
        case "other":
            if part in vocabulary.characters:
                return 1
            written = part.encode(errors="surrogatepass")
            return len(written) - (written[:2] in vocabulary.halves)
    return 1


def _word_cost(word: str, before: str, after: str, vocabulary: Vocabulary) -> int:
    """Return 1 for a common word that is one token, whatever its neighbours are."""
    if after.isascii() and after != "'":
        bare = before.isascii() and word in vocabulary.bare_words
        if word[1:] in vocabulary.words if word[0] == " " else bare:
            return 1
    letters = word.lstrip()
    paired = all(letters[at : at + 2] in vocabulary.pairs for at in range(len(letters) - 1))
    return (2 * len(word) + 1) // 3 if paired else len(letters)


@cache
def _vocabulary() -> Vocabulary:
    text = (Path(__file__).parent / "token_pieces.txt").read_text("utf-8")
    characters, halves, pairs, words, bare = text.rstrip("\n").split("\n")
    return Vocabulary(
        characters=frozenset(characters),
        halves=frozenset(bytes.fromhex(half) for half in halves.split()),
        pairs=frozenset(pairs.split()),
        words=frozenset(words.split()),
        bare_words=frozenset(bare.split()),
    )


ESTIMATED = NamedTokenizers(EstimatingTokenizer.name)
