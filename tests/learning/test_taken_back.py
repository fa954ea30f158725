"""Ends, slips and jokes without a model, in several languages, over whole conversations."""

from __future__ import annotations

import pytest

from erstwhile.learning.grounding.figures import said_numbers
from tests.learning.whole_conversations import told

OVER = [
    ("Ich spiele Handball.", "Mit Handball habe ich aufgehört."),
    ("Ich arbeite bei Bosch.", "Bei Bosch arbeite ich nicht mehr."),
    ("Ich wohne in Köln.", "In Köln wohne ich nicht mehr."),
    ("Trabajo en Telefónica.", "Ya no trabajo en Telefónica."),
    ("Vivo en Lugo.", "Ya no vivo en Lugo."),
    ("J'habite à Lille.", "Je n'habite plus à Lille."),
    ("ヨガに通っています。", "ヨガをやめました。"),
]


@pytest.mark.parametrize(("first", "then"), OVER)
def test_it_is_over(first: str, then: str) -> None:
    _, _, retired = told(None, first, then)
    assert retired == [f'The user said: "{first[:-1]}"']


MEANT = [
    ("Ich wohne in Bremen.", "Ich meinte Hamburg.", "Ich wohne in Hamburg"),
    ("Vivo en Murcia.", "Perdón, quería decir Mérida.", "Vivo en Mérida"),
    ("J'habite à Nantes.", "Pardon, je voulais dire Nancy.", "J'habite à Nancy"),
    ("私は東京に住んでいます。", "東京は横浜の間違いでした。", "私は横浜に住んでいます"),
]


@pytest.mark.parametrize(("first", "then", "right"), MEANT)
def test_the_only_name_is_the_one_that_was_meant(first: str, then: str, right: str) -> None:
    _, live, retired = told(None, first, then)
    assert (live, retired) == (
        {f'The user said: "{right}"': "home"},
        [f'The user said: "{first[:-1]}"'],
    )


@pytest.mark.parametrize(
    "then",
    [
        "I live in Bergen now. Nah, just joking.",
        "I live in Bergen now. Wait, no, scratch that.",
        "I live in Bergen. Not really, I'm still in Oslo.",
        "I was joking about Bergen.",
    ],
)
def test_what_the_next_sentence_takes_back_replaces_nothing(then: str) -> None:
    _, live, retired = told(None, "I live in Oslo.", then)
    assert (live, retired) == ({"The user lives in Oslo": "home"}, [])


def test_one_of_two_names_is_not_guessed() -> None:
    _, live, retired = told(None, "My sister Mel lives in Hull.", "I meant Leeds.")
    assert (len(live) > 0, retired) == (True, [])


def test_a_correction_is_the_word_of_the_user() -> None:
    _, live, _ = told(None, "I live in Hull.", "Correction: I live in Leeds.")
    assert live == {"The user lives in Leeds": "home"}


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("two hundred books", "200"),
        ("one hundred and twenty records", "120"),
        ("three thousand five hundred euros", "3500"),
        ("three hundred twenty-five", "325"),
    ],
)
def test_a_number_in_several_words_is_said(text: str, number: str) -> None:
    assert number in said_numbers(text)


def test_numbers_beside_each_other_are_not_added_up() -> None:
    assert "5" not in said_numbers("ich bin zwei oder drei")
    assert "1000" not in said_numbers("ich bin zwei")
