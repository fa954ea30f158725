"""The tokenizers by name. Their large vocabularies are loaded on first use."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING
from warnings import catch_warnings, simplefilter

from erstwhile.adapters.tokenizers.estimate import EstimatingTokenizer, lines
from erstwhile.core.errors import InvalidInputError
from erstwhile.core.logs import log_failure
from erstwhile.core.ports import Tokenizer

if TYPE_CHECKING:
    from bpe_openai import Encoding

AUTO = "auto"
_LONGEST = 500_000
"""Characters that are counted at once: the package refuses a million."""
_ALWAYS_COUNTED = 40_000
"""A text of so many characters has less than the 200,000 tokens that the package accepts."""
_ENCODINGS = ("o200k_base", "cl100k_base")
"""The newest first. The estimate is an upper bound for these."""


class ExactTokenizer:
    """Counts tokens as OpenAI's models do, in one encoding such as o200k_base."""

    def __init__(self, encoding: Encoding) -> None:
        self.name = encoding.name
        self._encoding = encoding

    def count(self, text: str) -> int:
        parts = range(0, len(text), _LONGEST)
        return sum(self._count(text[start : start + _LONGEST]) for start in parts)

    def _count(self, text: str) -> int:
        try:
            return len(self._encoding.encode_ordinary(text))
        except Exception as error:
            # The package also refuses texts of very many tokens. No text may stop a context: what
            # cannot be counted in smaller parts either is estimated, which is never too low.
            if len(text) <= _ALWAYS_COUNTED:
                log_failure(__name__, "a text was estimated instead of counted", error=error)
                return EstimatingTokenizer().count(text)
        middle = len(text) // 2
        return self._count(text[:middle]) + self._count(text[middle:])

    def parts(self, text: str) -> list[str]:
        return lines(text)


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
                remedy='pip install "erstwhile[tokens]", or set tokenizer to auto or estimate',
            )
        return found

    @property
    def estimate(self) -> Tokenizer:
        return EstimatingTokenizer()

    def named(self, name: str) -> Tokenizer | None:
        """Return the tokenizer that counted a block; None if it is not installed."""
        return _tokenizer(name)


ESTIMATED = NamedTokenizers(EstimatingTokenizer.name)


@cache
def _tokenizer(name: str) -> Tokenizer | None:
    if name == EstimatingTokenizer.name:
        return EstimatingTokenizer()
    if find_spec("bpe_openai") is None:
        return None
    with catch_warnings():
        simplefilter("ignore", DeprecationWarning)  # it reads its files in a deprecated way
        return _exact(name)


def _exact(name: str) -> Tokenizer:
    # Imported here: it takes a second, and only exact counts need it.
    import bpe_openai

    known = name in bpe_openai.list_supported_models()
    encoding = bpe_openai.encoding_name_for_model(name) if known else name
    if encoding not in _ENCODINGS:
        raise InvalidInputError(
            f"unknown tokenizer {name!r}",
            remedy=f"use auto, estimate, {' or '.join(_ENCODINGS)}, or a model such as gpt-4o",
        )
    return ExactTokenizer(bpe_openai.get_encoding(encoding))
