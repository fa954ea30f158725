"""The weight of messages by their speaker."""

from __future__ import annotations

import pytest

from erstwhile.recall.query import OTHERS_WEIGHT, others_weight

ABOUT_THE_USER = (
    "Where do I live?",
    "How many weeks do I have until the deadline?",
    "Can you list the order in which I brought up my projects?",
    "What did I tell you about my sister?",
    "Do you know my dog's name?",
    "¿Dónde vivo?",
    "我的狗叫什么名字？",
)
ABOUT_THE_ASSISTANT = (
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
)


@pytest.mark.parametrize("question", [*ABOUT_THE_USER, *ABOUT_THE_ASSISTANT])
def test_only_questions_about_the_assistant_give_its_words_full_weight(question: str) -> None:
    assert OTHERS_WEIGHT < 1
    expected = 1.0 if question in ABOUT_THE_ASSISTANT else OTHERS_WEIGHT
    assert others_weight(question) == expected
