"""The tokenizers by name. Their large vocabularies are loaded on first use."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from warnings import catch_warnings, simplefilter

from erstwhile.adapters.tokenizers.compiled import CountTokens, compiled_counter
from erstwhile.adapters.tokenizers.estimate import EstimatingTokenizer, lines
from erstwhile.core.errors import InvalidInputError
from erstwhile.core.logs import log_failure
from erstwhile.core.ports import Tokenizer

AUTO = "auto"
_ENCODINGS = ("o200k_base", "cl100k_base")
"""The newest first. The estimate is an upper bound for these."""


class ExactTokenizer:
    """Counts tokens as OpenAI's models do, in one encoding such as o200k_base."""

    def __init__(self, name: str, count_tokens: CountTokens) -> None:
        self.name = name
        self._count_tokens = count_tokens

    def count(self, text: str) -> int:
        """Return the tokens. What cannot be counted is estimated: no text may stop a context."""
        try:
            return self._count_tokens(text)
        except Exception as error:
            log_failure(__name__, "a text was estimated instead of counted", error=error)
            return EstimatingTokenizer().count(text)

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
    encoding = name if name in _ENCODINGS else _encoding_of_model(name)
    count_tokens = compiled_counter(encoding)
    return ExactTokenizer(encoding, count_tokens) if count_tokens else None


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
