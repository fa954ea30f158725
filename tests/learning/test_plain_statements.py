"""Plain statements in the first person: what is kept, in which words, and what is left alone."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from erstwhile.core.kinds import Kind
from erstwhile.learning.patterns import candidates
from tests.learning.user_turns import learned, only, turn


@pytest.mark.parametrize(
    ("said", "text", "kind"),
    [
        ("I have diabetes", "The user has diabetes", Kind.PROFILE),
        ("I'm married", "The user is married", Kind.PROFILE),
        ("I have two cats", "The user has two cats", Kind.RELATION),
        ("I don't have a car.", "The user doesn't have a car", Kind.PROFILE),
        ("I always take the bus to work", "The user always takes the bus to work", Kind.PROFILE),
        ("I run 30 km a week", "The user runs 30 km a week", Kind.PROFILE),
        ("I just got promoted!", "The user got promoted", Kind.EVENT),
        ("I'm saving for a trip to Japan", "The user is saving for a trip to Japan", Kind.FACT),
        ("My sister lives in Oslo and works as a midwife",
         "The user's sister lives in Oslo and works as a midwife", Kind.RELATION),
        ("My rent is 900 euros", "The user's rent is 900 euros", Kind.PROFILE),
        ("I hate flying", "The user hates flying", Kind.PREFERENCE),
        ("I'm using Flask 2.3", "The user is using Flask 2.3", Kind.ENVIRONMENT),
        ("I was a nurse in 2019", "The user was a nurse in 2019", Kind.FACT),
    ],
)  # fmt: skip
def test_what_is_plainly_said_is_kept(said: str, text: str, kind: Kind) -> None:
    [found] = [each for each in candidates(turn(said)) if each.text == text]
    assert found.kind is kind


@pytest.mark.parametrize(
    ("said", "quoted"),
    [
        ("We have three chickens and a beehive.", "We have three chickens and a beehive"),
        ("My wife and I got married in 2015", "My wife and I got married in 2015"),
        ("I'm studying Euclid's Elements Book I", "I'm studying Euclid's Elements Book I"),
        ("Ich habe zwei Katzen.", "Ich habe zwei Katzen"),
        ("Tengo diabetes", "Tengo diabetes"),
        ("Je suis allergique aux noix.", "Je suis allergique aux noix"),
        ("私は猫を二匹飼っています。", "私は猫を二匹飼っています"),
        ("Moro em Recife", "Moro em Recife"),
        ("Ho due gatti", "Ho due gatti"),
        ("У меня аллергия на орехи.", "У меня аллергия на орехи"),
        ("저는 부산에 살아요", "저는 부산에 살아요"),
        ("Ik werk als timmerman", "Ik werk als timmerman"),
    ],
)
def test_what_cannot_be_rewritten_safely_is_quoted(said: str, quoted: str) -> None:
    found = only(said)
    assert (found.text, found.quote) == (f'The user said: "{quoted}"', quoted)


@pytest.mark.parametrize(
    ("said", "text"),
    [("我有糖尿病", "用户有糖尿病"), ("我女儿今年上小学", "用户的女儿今年上小学")],
)
def test_in_chinese_the_first_person_is_replaced(said: str, text: str) -> None:
    assert learned(said) == [text]


@pytest.mark.parametrize(
    ("said", "texts"),
    [
        ("I have asthma, can you suggest a safe workout?", ["The user has asthma"]),
        ("As I'm vegetarian, what could I cook tonight?", ["The user is vegetarian"]),
        ("I inherited a watch and have no clue what it's worth", ["The user inherited a watch"]),
        ("Could you plan a dinner? I'm lactose intolerant", ["The user is lactose intolerant"]),
        ("Ich bin 52 Jahre alt, welche Vorsorge brauche ich?",
         ['The user said: "Ich bin 52 Jahre alt"']),
        ("我怀孕了，饮食上要注意什么？", ["用户怀孕"]),
    ],
)  # fmt: skip
def test_a_statement_beside_a_question_is_kept(said: str, texts: list[str]) -> None:
    assert learned(said) == texts


def test_a_statement_names_its_words_its_sentence_and_its_beginning() -> None:
    found = only("Hey! Last week I adopted a greyhound called Fig, he is lovely.")
    assert found.quote == "I adopted a greyhound called Fig"
    assert found.sentence == "Last week I adopted a greyhound called Fig, he is lovely."
    assert found.valid_from == datetime(2026, 11, 9, tzinfo=UTC)
    assert found.entities == ("Fig",)


@pytest.mark.parametrize(
    "said",
    [
        "I have an error in line 12.",
        "I have a question",
        "I have to go now",
        "I have two functions that return the same value",
        "I'm trying to run the tests",
        "I'm looking for a laptop",
        "I got a 500 from the server",
        "I need help with my essay",
        "I'm at the gym right now",
        "I am a bit confused",
        "I joined the two tables on id",
        "I started the server and it crashed",
        "I run the script with python main.py",
        "I like the second version better",
        "I own this bug",
        "I took that picture last summer",
        "We make a great team",
        "I almost moved to Paris once",
        "I had given the VM 2GB of memory",
        "My code is broken",
        "My guess is the cache",
    ],
)
def test_chatter_about_the_task_is_left_alone(said: str) -> None:
    assert learned(said) == []


@pytest.mark.parametrize(
    "said",
    [
        "Do I have diabetes if my sugar is 7.1?",
        "What should I eat if I have diabetes?",
        "If I had two cats, would I need a second litter box?",
        "Imagine I have two cats and live on Mars.",
        "Let's role-play: I am a pirate and I own a ship.",
        "In the game, I live in Rivendell",
        "In my dream I own a castle.",
        "Write a short bio: I am a chef from Lyon and I have three children.",
        "Translate to German: I have two cats.",
        'My friend says "I have two cats".',
        "Here is a mail I got: I have two kids and live in Rome.",
        "Say I have 10 apples and I eat 3.",
        "I think I have the flu.",
        "I might get a dog next year.",
        "I wish I had a sister.",
        "Habe ich Diabetes?",
        "Wenn ich zwei Katzen hätte, bräuchte ich mehr Platz.",
        "Übersetze bitte: Ich habe zwei Hunde.",
        "Si tuviera un perro, lo sacaría tres veces al día.",
        "Est-ce que j'ai du diabète ?",
        "如果我有糖尿病，能吃西瓜吗？",
        "私は糖尿病でしょうか？",
        "Ich habe eine Frage.",
        "Tengo un error en la línea 4.",
        "J'ai besoin d'aide.",
        "我有一个问题。",
        "エラーが出ています。",
    ],
)
def test_questions_stories_and_doubts_give_nothing(said: str) -> None:
    assert learned(said) == []


@pytest.mark.parametrize(
    "text",
    [
        "I have a " * 1_200,
        "my " * 4_000,
        "and I " * 2_000,
        "I live in " + "a, " * 3_000,
        "ich habe " * 1_200,
        "私は" * 4_000,
        "我" * 10_000,
        "I have two cats. " * 600,
    ],
)
def test_hostile_text_takes_no_time(text: str) -> None:
    """Ten kilobytes of it: more than linear time would not end here."""
    candidates(turn(text))


@pytest.mark.parametrize(
    ("said", "texts"),
    [
        ("I was a nurse in 2019.", ["The user was a nurse in 2019"]),
        ("I was an intern in 2019.", ["The user was an intern in 2019"]),
        ("I've been dancing since I was a kid.", []),
    ],
)
def test_a_short_word_is_not_found_inside_another_one(said: str, texts: list[str]) -> None:
    """The "a" in "was" is no article."""
    assert learned(said) == texts


@pytest.mark.parametrize(
    "said",
    [
        "Mais bien sûr, j'ai déménagé à Monaco, mdr.",
        "哈哈，我有十只猫。",
        "oh sure, I love getting paged at 3am",
    ],
)
def test_a_joke_gives_nothing(said: str) -> None:
    assert learned(said) == []
