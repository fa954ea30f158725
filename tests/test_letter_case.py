"""A pattern in any letter case finds what `re.IGNORECASE` finds, at the same places."""

from __future__ import annotations

import re

import pytest

from erstwhile.letter_case import CASED, AnyCase, fold, fold_pattern

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


@pytest.mark.parametrize("pattern", [each for each in PATTERNS if CASED not in each])
@pytest.mark.parametrize("way", ["search", "match", "fullmatch"])
def test_a_folded_pattern_matches_folded_text_in_every_way(pattern: str, way: str) -> None:
    plain, folded = re.compile(pattern, re.IGNORECASE), re.compile(fold_pattern(pattern))
    for text in TEXTS:
        wanted, found = getattr(plain, way)(text), getattr(folded, way)(fold(text))
        assert (found and found.span()) == (wanted and wanted.span())
