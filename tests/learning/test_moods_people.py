"""Whose news a sentence is, what it denies, and what it says goes on."""

from __future__ import annotations

import pytest

from erstwhile.learning.moods import denies_end, going_on, is_about_others, is_denied

OF_OTHERS = [
    ("My boss Karen quit today.", "quit today"),
    ("Meine Schwester hat gekündigt und arbeitet jetzt bei Bosch.", "arbeitet jetzt bei Bosch"),
    ("Mi prima se ha mudado a Berlín y ha dejado la carrera.", "ha dejado la carrera"),
    ("Mon collègue Marc vient de divorcer.", "vient de divorcer"),
    ("我哥哥搬到新加坡去了，在那边的医院工作。", "在那边的医院工作"),
    ("兄がロンドンに引っ越しました。", "ロンドンに引っ越しました"),
    ("제 동생이 도쿄로 이사했어요.", "도쿄로 이사했어요"),
    ("A minha irmã despediu-se e agora é fotógrafa.", "agora é fotógrafa"),
    ("Mijn buurman werkt nu bij Philips.", "werkt nu bij Philips"),
    ("Моя подруга недавно развелась.", "недавно развелась"),
    ("Mąż zmienił pracę, jest teraz w Orlenie.", "jest teraz w Orlenie"),
]
OWN = [
    ("My wife and I moved to Porto.", "moved to Porto"),
    ("I moved in with my sister.", "I moved in with my sister"),
    ("We moved, because my brother lives there.", "We moved"),
    ("My brother lives in Oslo, but I live in Bergen.", "I live in Bergen"),
    ("Este curso he empezado a trabajar en el colegio Lorca.", "he empezado a trabajar"),
    ("换了新车，旧的给我弟了。", "换了新车，旧的给我弟了"),
    ("Ich wohne jetzt in Kassel.", "wohne jetzt in Kassel"),
    ("Moved to Porto last week.", "Moved to Porto"),
]


@pytest.mark.parametrize(("text", "quote"), OF_OTHERS)
def test_the_news_of_others_is_theirs(text: str, quote: str) -> None:
    start = text.index(quote)
    assert is_about_others(text, start, start + len(quote))


@pytest.mark.parametrize(("text", "quote"), OWN)
def test_what_the_speaker_does_is_their_own(text: str, quote: str) -> None:
    start = text.index(quote)
    assert not is_about_others(text, start, start + len(quote))


@pytest.mark.parametrize(
    ("text", "quote", "denied"),
    [
        ("I don't have an iPhone.", "have an iPhone", True),
        ("我没有搬到上海。", "搬到上海", True),
        ("No, no vivo en Toledo.", "vivo en Toledo", True),
        ("Wir sind nicht geschieden.", "geschieden", True),
        ("I don't live in Lisbon, I live in Porto.", "I live in Porto", False),
        ("No, I moved to Porto.", "I moved to Porto", False),
    ],
)
def test_a_negation_before_the_words_denies_them(text: str, quote: str, denied: bool) -> None:
    assert is_denied(text, text.index(quote)) is denied


@pytest.mark.parametrize(
    ("sentence", "denied"),
    [
        ("I haven't quit the orchestra.", True),
        ("Ich bin nicht aus der Feuerwehr ausgetreten.", True),
        ("A gente não se separou.", True),
        ("J'ai pas démissionné.", True),
        ("Ich habe nicht aufgehört.", True),
        ("Je n'ai pas vendu la Clio.", True),
        ("引っ越していませんよ。", True),
        ("Я не бросил японский.", True),
        ("I don't smoke anymore.", False),
        ("Handball spiele ich nicht mehr.", False),
        ("Ya no tengo Netflix.", False),
    ],
)
def test_what_did_not_end_is_told_from_what_did(sentence: str, denied: bool) -> None:
    assert denies_end(sentence) is denied


def test_the_clauses_of_what_goes_on_are_found() -> None:
    assert (
        going_on("I quit the choir, but I still play the piano.") == "but I still play the piano."
    )
    assert going_on("Troquei o Gol por um HB20, a moto continua.").strip() == "a moto continua."
    assert going_on("Ich habe aufgehört.") == ""
