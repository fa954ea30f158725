"""Whole conversations without a model: slips, jokes and copies of what was said before."""

from __future__ import annotations

import pytest

import erstwhile
from erstwhile.core.kinds import Ending, State

SLIPS = [
    ("My dog is called Baxtre.", "typo, it's Baxter.", "Baxter", "Baxtre"),
    ("My name is Jhon.", "Sorry, I meant John.", "John", "Jhon"),
    ("Mein Geburtstag ist der 12. Mai.", "Sorry, vertippt: der 21. Mai.", "21. Mai", "12. Mai"),
    ("Ich heiße Anneke.", "Tippfehler, Annike!", "Annike", "Anneke"),
    ("Vivo en Málaga.", "Perdón, quise decir Marbella, no Málaga.", "Marbella", "Málaga"),
    ("Je m'appelle Camile.", "Faute de frappe : c'est Camille.", "Camille", "Camile"),
    ("我的航班是3月18日飞东京", "打错了，是3月28日。", "03-28", "03-18"),
]
JOKES = [
    ("I bought a castle in Scotland.", "I was joking about the castle!", "castle"),
    ("Estoy casado y tengo tres perros.", "Era broma lo de los perros.", "perros"),
    ("Je parle couramment le norvégien.", "Je plaisantais pour le norvégien.", "norvégien"),
    ("私は医者です。", "すみません、医者というのは冗談です。", "医者"),
    ("I have a twin sister.", "Just kidding!", "twin"),
]
MEANT = [
    ("I live in Porto.", "I was joking about the weather."),
    ("I live in Porto.", "My brother was joking about his castle."),
    ("I have two cats. I own a castle.", "I was joking."),
    ("I work at Acme.", "There is a typo in the report, please fix it."),
]
COPIES = [
    ("I have a dog.", "I have a dog named Rex.", {"The user has a dog named Rex"}),
    ("I have a dog named Rex.", "I have a dog.", {"The user has a dog named Rex"}),
    ("I'm using Flask.", "I'm using Flask 2.3.1.", {"The user is using Flask 2.3.1"}),
    ("I'm using Flask 2.3.1 and SQLite 3.39.", "I'm using SQLite 3.39.",
     {"The user is using Flask 2.3.1", "The user is using SQLite 3.39"}),
    ("I love coffee.", "I love coffee ice cream.",
     {"The user loves coffee", "The user loves coffee ice cream"}),
    ("Ich habe zwei Katzen.", "Ich habe zwei Katzen und einen Hund.",
     {'The user said: "Ich habe zwei Katzen und einen Hund"'}),
]  # fmt: skip


def _said(*turns: str) -> tuple[list[str], dict[str, Ending | None]]:
    """Say these turns in one conversation; return the live facts, and the endings of others."""
    with erstwhile.open(":memory:", embedder="none", llm="none") as memory:
        user = memory.scoped(user="ana")
        for said in turns:
            user.observe_turn(said, "I see.", wait=True)
        retired = user.facts.list(state=State.RETIRED)
        return [fact.text for fact in user.facts.list()], {f.text: f.ending for f in retired}


@pytest.mark.parametrize(("first", "then", "right", "wrong"), SLIPS)
def test_a_slip_is_corrected_and_was_wrong(first: str, then: str, right: str, wrong: str) -> None:
    live, retired = _said(first, then)
    assert [right in text for text in live] == [True]
    assert [(wrong in text, ending) for text, ending in retired.items()] == [(True, Ending.WRONG)]


@pytest.mark.parametrize(("first", "then", "about"), JOKES)
def test_a_joke_is_taken_back_and_was_wrong(first: str, then: str, about: str) -> None:
    live, retired = _said(first, then)
    assert not [text for text in live if about in text]
    assert [(about in text, ending) for text, ending in retired.items()] == [(True, Ending.WRONG)]


@pytest.mark.parametrize(("first", "then"), MEANT)
def test_what_is_not_taken_back_stays(first: str, then: str) -> None:
    before, _ = _said(first)
    live, retired = _said(first, then)
    assert (set(before) <= set(live), retired) == (True, {})


@pytest.mark.parametrize(("first", "then", "kept"), COPIES)
def test_of_two_copies_the_fuller_one_is_kept(first: str, then: str, kept: set[str]) -> None:
    assert set(_said(first, then)[0]) == kept


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("My cat Miso scratches the sofa, what can I do?", "The user's cat is called Miso"),
        ("Mon frère Paul vient dîner samedi.", 'The user said: "Mon frère Paul"'),
        ("Bis Freitag bin ich in Kiel.", 'The user said: "Bis Freitag bin ich in Kiel"'),
        (
            "Estoy en Sevilla hasta el domingo.",
            'The user said: "Estoy en Sevilla hasta el domingo"',
        ),
        ("Tengo dos hijos, Mateo y Sara.", 'The user said: "Tengo dos hijos, Mateo y Sara"'),
        ("来月、大阪から福岡に転勤します。", 'The user said: "来月、大阪から福岡に転勤します"'),
        ("我住在成都，有推荐的健身房吗？", "用户住在成都"),
    ],
)
def test_what_is_said_in_passing_is_learned(said: str, text: str) -> None:
    assert _said(said)[0] == [text]


def test_a_stay_ends_when_it_says_so() -> None:
    with erstwhile.open(":memory:", embedder="none", llm="none") as memory:
        user = memory.scoped(user="ana")
        user.observe_turn(
            "Estoy en Sevilla hasta el domingo.", "Ok", wait=True, said_at="2030-01-02"
        )
        [fact] = user.facts.list()
    assert (fact.kind, str(fact.expires_at)[:10]) == ("state", "2030-01-07")
