"""Counting tokens as OpenAI's models do, with the vocabularies of the package bpe-openai."""

from __future__ import annotations

from typing import TYPE_CHECKING

from erstwhile.adapters.tokenizers.cutting import lines

if TYPE_CHECKING:
    from bpe_openai import Encoding

_LONGEST = 500_000
"""The package refuses a million characters; longer texts are counted in parts."""


class ExactTokenizer:
    """Counts in one encoding, such as o200k_base."""

    def __init__(self, encoding: Encoding) -> None:
        self.name = encoding.name
        self._encoding = encoding

    def count(self, text: str) -> int:
        parts = range(0, len(text), _LONGEST)
        encode = self._encoding.encode_ordinary
        return sum(len(encode(text[start : start + _LONGEST])) for start in parts)

    def parts(self, text: str) -> list[str]:
        return lines(text)
