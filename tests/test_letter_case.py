"""A pattern in any letter case finds what `re.IGNORECASE` finds, at the same places."""

from __future__ import annotations

import re

import pytest

from erstwhile.letter_case import AnyCase

TEXTS = (
    "I Moved to İstanbul, ISPARTA, ısparta", "ΟΔΟΣ οδος", "STRAẞE straße Straße", "ÄRZTIN Ärztin",
    "Ça VA", "", "ſon SON", "ПРИВЕТ Привет", "IS IT?\nSo IT is",
)  # fmt: skip
PATTERNS = (
    r"\bi\w{0,8}", r"\bısparta\b|Isparta", r"οδος", r"stra(?:ß|ss)e", r"[A-Z]{2,9}", r"\W\w",
    r"\S+\Z", r"(?P<word>SON)\b", r"привет", r"^(?:is|so)\b", r"(?-i:[A-Z])\w+", r"ç[aA]",
)  # fmt: skip


@pytest.mark.parametrize("pattern", PATTERNS)
def test_it_finds_what_a_pattern_without_case_finds(pattern: str) -> None:
    plain, fast = re.compile(pattern, re.IGNORECASE | re.M), AnyCase(pattern, re.MULTILINE)
    for text in TEXTS:
        places = [found.span() for found in plain.finditer(text)]
        assert [found.span() for found in fast.found_in(text)] == places
