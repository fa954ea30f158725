"""Whole conversations without a model: what is over ends one fact, and never another."""

from __future__ import annotations

import pytest

from tests.learning.whole_conversations import told

OVER = [
    ("I play the piano.", "I quit the piano."),
    ("I own a motorbike.", "I sold my motorbike yesterday."),
    ("I work at Acme.", "I handed in my notice."),
    ("I'm married.", "We split up."),
    ("Ich spiele im Verein Handball.", "Handball spiele ich nicht mehr."),
    ("Ich rauche seit zehn Jahren.", "Ich habe endlich aufgehört zu rauchen."),
    ("Ich arbeite bei Siemens.", "Ich habe gekündigt."),
    ("Toco la guitarra.", "He dejado de tocar la guitarra."),
    ("Vivo en Sevilla.", "Ya no vivo en Sevilla."),
    ("Trabajo para Telefónica.", "He dejado mi trabajo."),
    ("Je fais du théâtre le mardi.", "Je ne fais plus de théâtre."),
    ("J'habite à Rennes.", "Je n'habite plus à Rennes."),
    ("J'ai une moto.", "J'ai vendu ma moto."),
    ("テニススクールに通っています。", "テニスはもうやめました。"),
    ("大阪に住んでいます。", "もう大阪には住んでいません。"),
    ("我每天都抽一包烟", "我戒烟了"),
]
GOES_ON = [
    ("I play the piano.", "I haven't quit the piano."),
    ("I play the piano.", "My sister quit the piano."),
    ("I play the piano.", "If I quit the piano, I'd have more time."),
    ("I play the piano.", "I want to sell my piano."),
    ("I bought a motorbike in 2019.", "I sold my motorbike yesterday."),
    ("I have two cats and a dog.", "I no longer have a dog."),
    ("I work at Acme.", "I left Initech years ago."),
    ("Ich liebe Kaffee.", "Ich trinke keinen Kaffee mehr."),
    ("Meine Schwester hat einen Hund.", "Ich habe keinen Hund mehr."),
    ("Ich spiele im Verein Handball.", "Handball habe ich nicht aufgegeben."),
    ("Ich arbeite bei Siemens.", "Meine Schwester hat gekündigt."),
    ("Ich arbeite bei Siemens.", "Soll ich kündigen?"),
    ("Vivo en Sevilla.", "Ya no vivo en Lugo."),
    ("Trabajo para Telefónica.", "Mi prima ha dejado su trabajo."),
    ("J'ai une moto.", "Je n'ai pas vendu ma moto."),
    ("J'ai une moto.", "Si je vendais ma moto, j'aurais un vélo."),
    ("テニススクールに通っています。", "兄はテニスをやめました。"),
    ("我每天都抽一包烟", "我弟弟戒烟了"),
]


@pytest.mark.parametrize(("first", "then"), OVER)
def test_what_is_over_ends(first: str, then: str) -> None:
    _, before, _ = told(None, first)
    _, _, retired = told(None, first, then)
    assert retired == list(before)


@pytest.mark.parametrize(("first", "then"), GOES_ON)
def test_what_goes_on_stays(first: str, then: str) -> None:
    _, before, _ = told(None, first)
    _, live, retired = told(None, first, then)
    assert (set(before) <= set(live), retired) == (True, [])


def test_a_home_after_one_that_ended_has_the_key() -> None:
    _, live, _ = told(
        None, "I live in Porto.", "I no longer live in Porto.", "I moved to Rome last month."
    )
    assert live == {"The user lives in Rome": "home"}


@pytest.mark.parametrize(
    ("first", "then", "live"),
    [
        ("I'm 35 years old.", "I'm 36 now.", "The user is 36 years old"),
        ("Ich bin 35.", "Ich bin jetzt 36.", 'The user said: "Ich bin jetzt 36"'),
        ("I'm married.", "I'm divorced.", "The user is divorced"),
        ("Estoy casado.", "Me divorcié.", 'The user said: "Me divorcié"'),
    ],
)
def test_what_has_one_value_by_nature_has_one(first: str, then: str, live: str) -> None:
    assert set(told(None, first, then)[1]) == {live}


@pytest.mark.parametrize(
    "said",
    [
        "I moved to Mars. Just kidding.",
        "I moved to Mars\nHaha, just kidding!",
        "I moved to Rome. Right?",
    ],
)
def test_what_the_next_sentence_takes_back_is_not_learned(said: str) -> None:
    assert told(None, "I live in Porto.", said)[1] == {"The user lives in Porto": "home"}
