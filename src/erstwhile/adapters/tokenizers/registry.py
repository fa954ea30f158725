"""Tokenizers by name. The vocabularies are large, so they are loaded when something is counted."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from warnings import catch_warnings, simplefilter

from erstwhile.adapters.tokenizers.estimate import EstimatingTokenizer
from erstwhile.core.errors import InvalidInputError
from erstwhile.core.ports import Tokenizer

AUTO = "auto"
_ENCODINGS = ("o200k_base", "cl100k_base")
"""The newest first. Of these the estimate never says too little."""


class NamedTokenizers:
    """What this process counts by: as set for what is new, and by its name for what is stored."""

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
        """The one that a block was counted by, if this process has it."""
        return _tokenizer(name)


ESTIMATED = NamedTokenizers(EstimatingTokenizer.name)


@cache
def _tokenizer(name: str) -> Tokenizer | None:
    if name == EstimatingTokenizer.name:
        return EstimatingTokenizer()
    if find_spec("bpe_openai") is None:
        return None
    with catch_warnings():
        simplefilter("ignore", DeprecationWarning)  # of the way in which it reads its files
        return _exact(name)


def _exact(name: str) -> Tokenizer:
    # Loaded here: it takes a second, and only exact counts need it.
    import bpe_openai

    from erstwhile.adapters.tokenizers.exact import ExactTokenizer

    known = name in bpe_openai.list_supported_models()
    encoding = bpe_openai.encoding_name_for_model(name) if known else name
    if encoding not in _ENCODINGS:
        raise InvalidInputError(
            f"unknown tokenizer {name!r}",
            remedy=f"use auto, estimate, {' or '.join(_ENCODINGS)}, or a model such as gpt-4o",
        )
    return ExactTokenizer(bpe_openai.get_encoding(encoding))
