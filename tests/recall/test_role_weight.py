"""The weight of messages by their speaker."""

from __future__ import annotations

import pytest

from erstwhile.recall.query import OTHERS_WEIGHT, others_weight


@pytest.mark.parametrize(
    "question",
    [
        "Where do I live?",
        "How many weeks do I have until the deadline?",
        "Can you list the order in which I brought up my projects?",
        "What did I tell you about my sister?",
        "Do you know my dog's name?",
        "¿Dónde vivo?",
        "我的狗叫什么名字？",
    ],
)
def test_what_is_asked_about_the_user_was_said_by_the_user(question: str) -> None:
    assert others_weight(question) == OTHERS_WEIGHT < 1


@pytest.mark.parametrize(
    "question",
    [
        "Which hotel did you recommend?",
        "What was the third tip you gave me?",
        "Can you remind me of the name of that restaurant?",
        "What was your suggestion for the garden?",
        "In our previous conversation there was a recipe: how much flour?",
        "Was hast du mir empfohlen?",
        "¿Qué hotel me recomendaste?",
        "Qu'est-ce que tu m'as conseillé ?",
        "你之前推荐的餐厅叫什么？",
        "Какой отель ты мне посоветовал?",
    ],
)
def test_a_question_about_the_assistants_words_finds_them(question: str) -> None:
    assert others_weight(question) == 1.0
